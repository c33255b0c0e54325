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

  // Without a token the user may be the one of a certificate, which a browser shows with credentials only.
  const request = (path, options) => fetch(path, {
    ...options,
    headers: { ...(options && options.headers), ...(token && { Authorization: 'Bearer ' + token }) },
    cache: 'no-store', credentials: 'same-origin', redirect: 'error', referrerPolicy: 'no-referrer',
  });

  const post = (path, body) => request(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  });

  // An answer is an option of the question, or an action with the content of a form.
  const send = (question, given) => {
    if (!isLink) return post('/approvals/answers', { question: question.id, option: given.id, action: given.action, content: given.content });
    if (given.action) return post('/approvals/link/input', given);
    return request('/approvals/link/' + (given.kind === 'allow_once' ? 'allow' : 'reject'), { method: 'POST' });
  };

  const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

  const note = (card, text) => {
    let line = card.querySelector('.note');
    if (!line) { line = element('p', 'note'); line.setAttribute('role', 'alert'); card.append(line); }
    line.textContent = text;
  };

  async function answer(event, card, question, given) {
    if (event.timeStamp - moved < STEADY) {
      note(card, 'The page has just changed. Please choose again.');
      return;
    }
    const buttons = [...card.querySelectorAll('button')];
    buttons.forEach((button) => { button.disabled = true; });
    try {
      const response = await send(question, given);
      if (response.ok) { note(card, 'Answered: ' + given.name); return; }
      if (response.status === 409 || response.status === 404) { note(card, 'Already answered elsewhere, or no longer open. Nothing was done.'); return; }
      const refusal = response.status === 400 ? await response.json() : {};
      note(card, refusal.reason === 'invalid_input' ? 'Not sent: ' + refusal.message + '.' : 'Not answered (' + response.status + '). Please try again.');
    } catch (e) {
      note(card, 'The server cannot be reached, so perhaps this was not answered.');
    }
    buttons.forEach((button) => { button.disabled = false; });
  }

  // Requests for input. Each field makes its elements, and reads its value; undefined leaves it out.

  const FEW = 6;
  const LONGEST = 2 ** 31 - 1; // Browsers take no greater length; the server does.
  const TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' };

  function hint(field) {
    const parts = [];
    if (field.description) parts.push(field.description);
    if (field.kind === 'choices' && (field.min || field.max !== undefined)) parts.push('Choose ' + (field.min || 0) + (field.max === undefined ? ' or more' : ' to ' + field.max) + '.');
    if (field.pattern) parts.push('Must match ' + field.pattern);
    return parts.join(' ');
  }

  function typed(field, id) {
    const isLong = field.kind === 'text' && !field.format && field.maxLength > 200;
    const control = element(isLong ? 'textarea' : 'input');
    const isTime = field.format === 'date-time';
    if (!isLong) control.type = field.kind === 'text' ? TYPES[field.format] || 'text' : 'number';
    if (field.kind === 'number') control.step = 'any';
    if (field.min !== undefined) control.min = field.min;
    if (field.max !== undefined) control.max = field.max;
    const { minLength = 0, maxLength = LONGEST } = field;
    if (minLength >= 0 && minLength <= maxLength && maxLength <= LONGEST) {
      control.minLength = minLength;
      control.maxLength = maxLength;
    }
    if (isTime) control.step = 1;
    if (field.value !== undefined) control.value = isTime ? local(field.value) : field.value;
    control.id = id;
    control.required = field.required;
    control.autocomplete = 'off';
    const read = () => control.value === '' ? undefined
      : field.kind !== 'text' ? Number(control.value)
      : isTime ? new Date(control.value).toISOString() : control.value;
    return { control, read };
  }

  // The agent's time in the zone of the reader.
  function local(text) {
    const time = new Date(text);
    return Number.isNaN(time.getTime()) ? '' : new Date(time - time.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
  }

  function menu(field, id, options) {
    const control = element('select');
    control.id = id;
    control.required = field.required;
    control.append(new Option(field.required ? 'Please choose' : 'No answer', ''));
    options.forEach((option) => control.append(new Option(option.title, String(option.value), false, option.value === field.value)));
    return { control, read: () => { const chosen = options[control.selectedIndex - 1]; return chosen && chosen.value; } };
  }

  // Radio buttons, or boxes if several may be chosen.
  function marks(field, id, options) {
    const several = field.kind === 'choices';
    const boxes = options.map((option) => {
      const label = element('label', 'mark');
      const box = element('input');
      box.type = several ? 'checkbox' : 'radio';
      box.name = id;
      box.required = field.required && !several;
      box.checked = several ? field.value.includes(option.value) : option.value === field.value;
      const text = element('span', '', option.title);
      if (option.description) text.append(element('small', '', option.description));
      label.append(box, text);
      return { label, box, value: option.value };
    });
    const chosen = () => boxes.filter((each) => each.box.checked).map((each) => each.value);
    return {
      group: boxes.map((each) => each.label),
      read: () => several ? (chosen().length || field.required ? chosen() : undefined) : chosen()[0],
    };
  }

  function made(field, id) {
    const options = field.kind === 'boolean' ? [{ value: true, title: 'Yes' }, { value: false, title: 'No' }] : field.options;
    switch (field.kind) {
      case 'text': case 'number': case 'integer': return typed(field, id);
      case 'choices': return marks(field, id, options);
      // A radio button cannot be undone, so what may be left out is a menu.
      case 'choice': case 'boolean': return field.required && options.length <= FEW ? marks(field, id, options) : menu(field, id, options);
      default: return null;
    }
  }

  function shownField(form, field, id) {
    const parts = made(field, id);
    const name = (field.title || field.name) + (field.required ? '' : ' (optional)');
    const about = parts ? hint(field) : 'This page cannot show this field' + (field.required ? '; answer in the client.' : '.');
    const box = element(parts && parts.group ? 'fieldset' : 'div', 'field');
    const label = element(parts && parts.group ? 'legend' : 'label', '', name);
    if (parts && parts.control) label.htmlFor = id;
    box.append(label);
    if (about) {
      const line = element('p', 'hint', about);
      line.id = id + '-hint';
      (parts && parts.control ? parts.control : box).setAttribute('aria-describedby', line.id);
      box.append(line);
    }
    if (parts) box.append(...(parts.group || [parts.control]));
    form.append(box);
    return { name: field.name, read: parts ? parts.read : () => undefined, isMissing: !parts && field.required };
  }

  function shownAddress(form, url) {
    form.append(element('p', 'address', url));
    if (/^https?:\/\//i.test(url)) {
      const link = element('a', '', 'Open ' + new URL(url).host);
      link.href = url;
      link.target = '_blank';
      link.rel = 'noopener noreferrer';
      form.append(element('p'));
      form.lastChild.append(link);
    }
    return [];
  }

  // What the browser does not take hides no other question.
  function shownInput(form, question, url) {
    try {
      return url !== undefined ? shownAddress(form, url)
        : question.input.fields.map((field, index) => shownField(form, field, 'f-' + question.id + '-' + index));
    } catch (e) {
      form.replaceChildren(element('p', 'hint', 'This page cannot show what is asked for; answer in the client.'));
      return [{ isMissing: true }];
    }
  }

  function input(card, question) {
    const form = element('form', 'input');
    const url = question.input.url;
    const fields = shownInput(form, question, url);
    const options = element('div', 'options');
    const button = (name, className, action) => {
      const made = element('button', className, name);
      made.type = action ? 'button' : 'submit';
      if (action) made.addEventListener('click', (event) => answer(event, card, question, { action, name }));
      options.append(made);
    };
    if (!fields.some((field) => field.isMissing)) button(url === undefined ? 'Send' : 'Agree', '', '');
    button('Decline', 'reject', 'decline');
    button('Cancel', 'plain', 'cancel');
    form.append(options);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const content = {};
      fields.forEach((field) => { const value = field.read(); if (value !== undefined) content[field.name] = value; });
      answer(event, card, question, { action: 'accept', name: url === undefined ? 'sent' : 'agreed', content: url === undefined ? content : undefined });
    });
    return form;
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
      if (question.input) { made.append(element('p', 'message', detail)); return; }
      const text = element('pre', '', detail);
      text.tabIndex = 0;
      made.append(text);
    });
    if (question.input) { made.append(input(made, question)); return made; }
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
    while (true) {
      try {
        const response = await request('/approvals/questions' + (version === '' ? '' : '?after=' + version));
        if (response.status === 401 || response.status === 403) { askForToken(token ? 'The server does not accept this token.' : ''); return; }
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

  if (isLink) { showOne(); } else { watch(); }
})();
