'use strict';
// Shows the open questions of a user. Everything from agents becomes text nodes, never markup.
(() => {
  const main = document.getElementById('questions');
  const status = document.getElementById('status');
  const login = document.getElementById('login');
  const field = document.getElementById('token');
  const cards = new Map();
  const STEADY = 600; // A tap so soon after the page has moved was for something else.
  let moved = 0;
  let token = '';
  let version = '';

  // The token comes in the fragment, which no server sees, and leaves the address bar at once. So does the secret of a
  // link to one question, which is not kept.
  const isLink = location.hash.startsWith('#link=');
  if (isLink) {
    token = decodeURIComponent(location.hash.slice('#link='.length));
  } else if (location.hash.startsWith('#token=')) {
    token = decodeURIComponent(location.hash.slice('#token='.length));
    sessionStorage.setItem('acp-token', token);
  } else {
    token = sessionStorage.getItem('acp-token') || '';
  }
  history.replaceState(null, '', location.pathname);

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const request = (path, options) => fetch(path, {
    ...options,
    headers: { ...(options && options.headers), Authorization: 'Bearer ' + token },
    cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
  });

  const choose = (question, option) => isLink
    ? request('/approvals/link/' + (option.kind === 'allow_once' ? 'allow' : 'reject'), { method: 'POST' })
    : request('/approvals/answers', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ question: question.id, option: option.id }),
    });

  const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

  const note = (card, text) => {
    let line = card.querySelector('.note');
    if (!line) { line = element('p', 'note'); line.setAttribute('role', 'alert'); card.append(line); }
    line.textContent = text;
  };

  async function answer(event, card, question, option) {
    if (event.timeStamp - moved < STEADY) {
      note(card, 'The page has just changed. Please choose again.');
      return;
    }
    const buttons = [...card.querySelectorAll('button')];
    buttons.forEach((button) => { button.disabled = true; });
    try {
      const response = await choose(question, option);
      if (response.ok) { note(card, 'Answered: ' + option.name); return; }
      if (response.status === 409 || response.status === 404) { note(card, 'Already answered elsewhere, or no longer open. Nothing was done.'); return; }
      note(card, 'Not answered (' + response.status + '). Please try again.');
    } catch (e) {
      note(card, 'The server cannot be reached, so perhaps this was not answered.');
    }
    buttons.forEach((button) => { button.disabled = false; });
  }

  function card(question) {
    const made = element('article');
    const title = element('h2', '', question.title);
    title.id = 'q-' + question.id;
    made.setAttribute('aria-labelledby', title.id);
    made.append(title);
    const about = [question.kind, question.session ? 'session ' + question.session : ''].filter((text) => text);
    made.append(element('p', 'about', about.join(' · ')));
    question.details.forEach((detail) => {
      const text = element('pre', '', detail);
      text.tabIndex = 0;
      made.append(text);
    });
    const options = element('div', 'options');
    question.options.forEach((option) => {
      const button = element('button', option.kind.startsWith('reject') ? 'reject' : '', option.name);
      button.type = 'button';
      button.addEventListener('click', (event) => answer(event, made, question, option));
      options.append(button);
    });
    made.append(options);
    return made;
  }

  function show(answered) {
    const open = new Set(answered.questions.map((question) => question.id));
    for (const [id, shown] of cards) {
      if (!open.has(id)) { shown.remove(); cards.delete(id); moved = performance.now(); }
    }
    for (const question of answered.questions) {
      if (!cards.has(question.id)) {
        const made = card(question);
        cards.set(question.id, made);
        main.append(made);
        moved = performance.now();
      }
    }
    const none = main.querySelector('.empty');
    if (cards.size === 0 && !none) main.append(element('p', 'empty', 'No agent asks for anything.'));
    if (cards.size > 0 && none) none.remove();
    document.title = cards.size > 0 ? '(' + cards.size + ') Approvals' : 'Approvals';
    status.textContent = answered.principal;
  }

  function askForToken(text) {
    sessionStorage.removeItem('acp-token');
    token = '';
    status.textContent = text;
    login.hidden = false;
    main.hidden = true;
    field.focus();
  }

  login.addEventListener('submit', (event) => {
    event.preventDefault();
    token = field.value.trim();
    field.value = '';
    sessionStorage.setItem('acp-token', token);
    login.hidden = true;
    main.hidden = false;
    version = '';
    watch();
  });

  async function watch() {
    let failures = 0;
    while (token) {
      try {
        const response = await request('/approvals/questions' + (version === '' ? '' : '?after=' + version));
        if (response.status === 401 || response.status === 403) { askForToken('The server does not accept this token.'); return; }
        if (!response.ok) throw new Error('status ' + response.status);
        const answered = await response.json();
        version = String(answered.version);
        failures = 0;
        show(answered);
      } catch (e) {
        status.textContent = 'The server cannot be reached. Trying again…';
        failures = Math.min(failures + 1, 5);
        await pause(2 ** failures * (0.5 + Math.random() / 2));
      }
    }
  }

  async function showOne() {
    const response = await request('/approvals/link').catch(() => null);
    if (!response) { status.textContent = 'The server cannot be reached. Open the link again.'; return; }
    if (!response.ok) { status.textContent = 'This link was used, is too old, or its question is no longer open.'; return; }
    show({ principal: 'One question', questions: [await response.json()] });
  }

  if (isLink) { showOne(); } else if (token) { watch(); } else { askForToken(''); }
})();
