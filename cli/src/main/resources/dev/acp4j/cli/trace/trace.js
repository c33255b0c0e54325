'use strict';
(function () {
  // An event: number, seconds, type, from, to, id, method, session, summary, number of its request or -1, body, what the
  // hops of one message have in common or 0, what the hop has changed.
  const NUMBER = 0, SECONDS = 1, TYPE = 2, FROM = 3, TO = 4, ID = 5, METHOD = 6, SESSION = 7, SUMMARY = 8, REQUEST = 9, BODY = 10, FLOW = 11, CHANGES = 12;
  const ROW = 32, BEYOND = 8, LONGEST_COLOURED = 300000, LONGEST_SHOWN = 2000000;
  const byId = function (id) { return document.getElementById(id); };
  const events = JSON.parse(byId('events').textContent);
  const about = JSON.parse(byId('about').textContent);
  const list = byId('list'), space = byId('space'), details = byId('details');

  const places = new Map(); // from the number of an event to its index
  const answers = new Map(); // from the number of a request to the index of its answer
  const flows = new Map(); // from the number of a message in a chain to the indices of its hops and those of its answer
  const methods = new Set(), sessions = new Map(), directions = new Set(), names = new Set();
  events.forEach(function (event, index) {
    places.set(event[NUMBER], index);
    if (event[REQUEST] >= 0) answers.set(event[REQUEST], index);
    if (event[FLOW]) {
      if (!flows.has(event[FLOW])) flows.set(event[FLOW], []);
      flows.get(event[FLOW]).push(index);
    }
    if (event[METHOD]) methods.add(event[METHOD]);
    if (event[SESSION] && !sessions.has(event[SESSION])) sessions.set(event[SESSION], (sessions.size * 137 + 210) % 360);
    if (event[TYPE] !== 'chain') names.add(event[FROM]);
    if (event[TO]) {
      names.add(event[TO]);
      directions.add(event[FROM] + ' → ' + event[TO]);
    }
  });

  let shown = []; // indices of the events that fit the filters
  let chosen = -1; // a place in shown
  let drawnFrom = -1, drawnTo = -1;

  about.ends.forEach(function (name) { names.add(name); });

  // ---- lanes: the client on the left, the agent on the right, between them a chain, or proxies by number

  function rank(name) {
    const place = about.ends.indexOf(name);
    if (place >= 0) return place;
    if (name === 'client') return -1;
    if (name === 'agent') return Infinity;
    const proxy = /^proxy:(\d+)$/.exec(name);
    return proxy ? Number(proxy[1]) : Number.MAX_SAFE_INTEGER;
  }
  const lanes = Array.from(names).sort(function (a, b) {
    return rank(a) === rank(b) ? (a < b ? -1 : 1) : rank(a) < rank(b) ? -1 : 1;
  });
  const MARGIN = 44;
  const laneWidth = 2 * MARGIN + Math.max(1, lanes.length - 1) * (lanes.length > 2 ? 230 : 270);
  document.documentElement.style.setProperty('--lanes', laneWidth + 'px');
  function x(name) {
    return MARGIN + lanes.indexOf(name) * (laneWidth - 2 * MARGIN) / Math.max(1, lanes.length - 1);
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function drawNames() {
    const lane = element('div', 'lane');
    lanes.forEach(function (name) {
      const box = element('b', '', name);
      box.style.left = x(name) + 'px';
      lane.append(box);
    });
    byId('names').append(lane);
  }

  // ---- rows: only those in sight are in the document

  function duration(seconds) {
    if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
    if (seconds < 60) return seconds.toFixed(seconds < 10 ? 2 : 1) + ' s';
    return Math.floor(seconds / 60) + ' min ' + Math.round(seconds % 60) + ' s';
  }
  function label(event) {
    const id = event[ID] ? ' #' + event[ID] : '';
    if (event[TYPE] === 'noise') return 'not a message';
    return (event[METHOD] || event[TYPE]) + id;
  }
  function took(event) {
    const request = places.get(event[REQUEST]);
    return request === undefined ? '' : duration(event[SECONDS] - events[request][SECONDS]);
  }
  function lane(event) {
    const drawn = element('span', 'lane');
    lanes.forEach(function (name) {
      const life = element('i', 'life');
      life.style.left = x(name) + 'px';
      drawn.append(life);
    });
    if (event[TYPE] === 'chain') {
      const tag = element('span', 'tag', 'chain');
      tag.style.left = x(about.ends[0]) + 'px';
      drawn.append(tag);
      return drawn;
    }
    if (!event[TO] || event[TYPE] === 'end') {
      const tag = element('span', 'tag', event[TYPE]);
      tag.style.left = x(event[FROM]) + 'px';
      drawn.append(tag);
      return drawn;
    }
    const from = x(event[FROM]), to = x(event[TO]);
    const arrow = element('span', 'arrow ' + (from <= to ? 'forth' : 'back'));
    arrow.style.left = Math.min(from, to) + 'px';
    arrow.style.width = Math.max(12, Math.abs(to - from)) + 'px';
    arrow.append(element('span', '', label(event)));
    drawn.append(arrow);
    return drawn;
  }
  function row(place) {
    const event = events[shown[place]];
    const made = element('div', 'row ' + event[TYPE] + (place === chosen ? ' chosen' : isRelated(place) ? ' related' : ''));
    made.id = 'row' + place;
    made.setAttribute('role', 'option');
    made.setAttribute('aria-selected', String(place === chosen));
    made.setAttribute('aria-posinset', String(place + 1));
    made.setAttribute('aria-setsize', String(shown.length));
    made.dataset.place = String(place);
    made.style.top = place * ROW + 'px';
    made.append(element('span', 'time', event[SECONDS].toFixed(3)), lane(event));
    const session = element('span', 'session', event[SESSION].length > 12 ? event[SESSION].slice(-8) : event[SESSION]);
    if (event[SESSION]) {
      session.style.setProperty('--hue', String(sessions.get(event[SESSION])));
      session.title = event[SESSION];
    }
    made.append(session, element('span', 'took', took(event)), element('span', 'text', event[SUMMARY]));
    return made;
  }
  function draw(anew) {
    const from = Math.max(0, Math.floor(list.scrollTop / ROW) - BEYOND);
    const to = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + BEYOND);
    if (!anew && from === drawnFrom && to === drawnTo) return;
    drawnFrom = from;
    drawnTo = to;
    const rows = [];
    for (let place = from; place < to; place++) rows.push(row(place));
    space.replaceChildren.apply(space, rows);
  }

  // ---- filters

  function glob(text) {
    const parts = text.split(/[\s,]+/).filter(Boolean).map(function (part) {
      const quoted = part.replace(/[.+^$()|{}[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
      return /[*?]/.test(part) ? '^' + quoted + '$' : quoted;
    });
    return parts.length ? new RegExp(parts.join('|'), 'i') : null;
  }
  function filter() {
    const kept = chosen >= 0 ? shown[chosen] : -1;
    const text = byId('search').value.toLowerCase();
    const method = glob(byId('method').value);
    const session = byId('session').value, direction = byId('direction').value, errors = byId('errors').checked;
    shown = [];
    events.forEach(function (event, index) {
      if (errors && event[TYPE] !== 'error' && event[TYPE] !== 'noise') return;
      if (session && event[SESSION] !== session) return;
      if (direction && event[FROM] + ' → ' + event[TO] !== direction) return;
      if (method && !method.test(event[METHOD])) return;
      if (text && !has(event, text)) return;
      shown.push(index);
    });
    chosen = shown.indexOf(kept);
    if (chosen < 0) closeDetails();
    space.style.height = shown.length * ROW + 'px';
    byId('none').hidden = shown.length > 0;
    byId('count').textContent = shown.length === events.length ? events.length + ' events' : shown.length + ' of ' + events.length + ' events';
    if (chosen >= 0) reveal(chosen);
    draw(true);
  }
  function has(event, text) {
    return event[BODY].toLowerCase().includes(text) || event[METHOD].toLowerCase().includes(text)
      || event[SUMMARY].toLowerCase().includes(text) || event[TYPE].includes(text);
  }
  let waiting = 0;
  function filterSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  }

  // ---- choosing

  function pairOf(index) {
    const event = events[index];
    const pair = event[REQUEST] >= 0 ? places.get(event[REQUEST]) : answers.get(event[NUMBER]);
    return pair === undefined ? -1 : pair;
  }
  function isRelated(place) {
    if (chosen < 0) return false;
    const flow = events[shown[chosen]][FLOW];
    return flow ? events[shown[place]][FLOW] === flow : pairOf(shown[chosen]) === shown[place];
  }
  function reveal(place) {
    const top = place * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  }
  function choose(place, open) {
    if (!shown.length) return;
    chosen = Math.max(0, Math.min(shown.length - 1, place));
    reveal(chosen);
    if (open || !details.hidden) openDetails();
    draw(true);
    list.setAttribute('aria-activedescendant', 'row' + chosen);
  }
  function goTo(index) {
    if (index < 0) return;
    let place = shown.indexOf(index);
    if (place < 0) {
      byId('filters').reset();
      filter();
      place = shown.indexOf(index);
    }
    choose(place, true);
    list.focus();
  }
  function nextHop(step) {
    if (chosen < 0) return;
    const hops = flows.get(events[shown[chosen]][FLOW]);
    const next = hops && hops[hops.indexOf(shown[chosen]) + step];
    if (next !== undefined) goTo(next);
  }
  function nextError(step) {
    for (let place = chosen + step; place >= 0 && place < shown.length; place += step) {
      const type = events[shown[place]][TYPE];
      if (type === 'error' || type === 'noise') return choose(place, true);
    }
  }

  // ---- the message

  function openDetails() {
    const event = events[shown[chosen]];
    details.hidden = false;
    byId('title').textContent = label(event);
    const facts = byId('facts');
    facts.replaceChildren();
    [['what', event[TYPE]], ['when', event[SECONDS].toFixed(6) + ' s' + clock(event)], ['way', event[TO] ? event[FROM] + ' → ' + event[TO] : event[FROM]],
      ['session', event[SESSION]], ['answered', answered(event)], ['hops', hops(event)], ['changed', event[CHANGES]]].forEach(function (fact) {
      if (fact[1]) facts.append(element('dt', '', fact[0]), element('dd', '', fact[1]));
    });
    byId('pair').hidden = pairOf(shown[chosen]) < 0;
    byId('pair').textContent = event[REQUEST] >= 0 ? 'Request' : 'Answer';
    showBody(event);
  }
  function hops(event) {
    const all = flows.get(event[FLOW]);
    return all ? '@' + event[FLOW] + ', ' + (all.indexOf(places.get(event[NUMBER])) + 1) + ' of ' + all.length : '';
  }
  function clock(event) {
    const began = Date.parse(about.began);
    return isNaN(began) ? '' : ', ' + new Date(began + event[SECONDS] * 1000).toLocaleString();
  }
  function answered(event) {
    if (event[REQUEST] >= 0) return 'after ' + took(event);
    if (event[TYPE] !== 'request') return '';
    const answer = answers.get(event[NUMBER]);
    return answer === undefined ? 'never' : 'after ' + took(events[answer]);
  }
  function showBody(event) {
    const body = byId('body');
    body.replaceChildren();
    body.scrollTop = 0;
    const isMessage = event[BODY].charAt(0) === '{' && event[TYPE] !== 'stderr' && event[TYPE] !== 'noise';
    let text = isMessage ? pretty(event[BODY]) : event[BODY] || event[SUMMARY];
    if (text.length > LONGEST_SHOWN) text = text.slice(0, LONGEST_SHOWN) + '\n… (Copy gives the whole message)';
    if (isMessage && text.length <= LONGEST_COLOURED) body.append(coloured(text));
    else body.textContent = text;
  }
  // JSON.parse would lose digits of large numbers and members that come twice.
  function pretty(json) {
    let indent = '', last = '';
    return json.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|\s+/g, function (token) {
      const before = last;
      if (token.trim() === '') return '';
      last = token;
      if (token === '{' || token === '[') {
        const line = before === '{' || before === '[' ? '\n' + indent : '';
        indent += '  ';
        return line + token;
      }
      if (token === '}' || token === ']') {
        indent = indent.slice(2);
        return before === '{' || before === '[' ? token : '\n' + indent + token;
      }
      if (token === ',') return ',\n' + indent;
      if (token === ':') return ': ';
      return before === '{' || before === '[' ? '\n' + indent + token : token;
    });
  }
  function coloured(text) {
    const all = document.createDocumentFragment();
    const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g;
    let at = 0, token;
    while ((token = tokens.exec(text)) !== null) {
      const word = token[1] || token[3];
      all.append(text.slice(at, token.index), element('span', token[3] ? 'literal' : token[2] ? 'key' : 'string', word));
      at = token.index + word.length;
    }
    all.append(text.slice(at));
    return all;
  }
  function closeDetails() {
    details.hidden = true;
  }
  function copy() {
    const text = events[shown[chosen]][BODY];
    const done = function () { byId('copy').textContent = 'Copied'; setTimeout(function () { byId('copy').textContent = 'Copy'; }, 1200); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, function () { select(); });
    else select();
  }
  // Where a page from a file may not use the clipboard, the text is selected for Ctrl-C.
  function select() {
    getSelection().selectAllChildren(byId('body'));
  }

  // ---- start

  function option(select, value, text) {
    const made = element('option', '', text);
    made.value = value;
    select.append(made);
  }
  function notice() {
    const parts = [];
    if (about.unreadable) parts.push(about.unreadable + (about.unreadable === 1 ? ' line' : ' lines') + ' of the trace could not be read.');
    if (about.isTorn) parts.push('The last line is incomplete, as after the program was killed.');
    const missing = about.unanswered.filter(function (number) { return places.has(number); });
    if (missing.length) parts.push(missing.length + (missing.length === 1 ? ' request was' : ' requests were') + ' never answered:');
    byId('notice').hidden = !parts.length;
    byId('notice').textContent = parts.join(' ');
    missing.slice(0, 5).forEach(function (number) {
      const link = element('button', '', label(events[places.get(number)]));
      link.type = 'button';
      link.addEventListener('click', function () { goTo(places.get(number)); });
      byId('notice').append(link);
    });
  }
  function isDark() {
    return document.documentElement.classList.contains('dark');
  }
  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') {
      closeDetails();
      return list.focus();
    }
    if (/^(INPUT|SELECT)$/.test(event.target.tagName) && event.target.type !== 'checkbox') return;
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const inList = event.target === list || event.target === document.body;
    const actions = {
      '/': function () { byId('search').focus(); byId('search').select(); },
      e: function () { byId('errors').checked = !byId('errors').checked; filter(); },
      t: function () { document.documentElement.classList.toggle('dark', !isDark()); },
      n: function () { nextError(1); },
      N: function () { nextError(-1); },
      p: function () { if (chosen >= 0) goTo(pairOf(shown[chosen])); },
      h: function () { nextHop(1); },
      H: function () { nextHop(-1); },
      c: function () { if (chosen >= 0) copy(); }
    };
    const moves = {
      ArrowDown: function () { choose(chosen + 1); },
      ArrowUp: function () { choose(chosen - 1); },
      j: function () { choose(chosen + 1); },
      k: function () { choose(chosen - 1); },
      PageDown: function () { choose(chosen + page); },
      PageUp: function () { choose(chosen - page); },
      Home: function () { choose(0); },
      End: function () { choose(shown.length - 1); },
      Enter: function () { choose(Math.max(0, chosen), true); }
    };
    const action = actions[event.key] || (inList ? moves[event.key] : undefined);
    if (action) {
      event.preventDefault();
      action();
    }
  }

  document.title = about.subject ? 'Trace of ' + about.subject : 'Trace';
  byId('subject').textContent = about.subject || 'Trace';
  const began = Date.parse(about.began);
  byId('totals').textContent = (isNaN(began) ? '' : new Date(began).toLocaleString() + ' · ') + about.totals;
  document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
  Array.from(methods).sort().forEach(function (method) { option(byId('methods'), method); });
  sessions.forEach(function (hue, session) { option(byId('session'), session, session); });
  Array.from(directions).sort().forEach(function (direction) { option(byId('direction'), direction, direction); });
  drawNames();
  notice();
  ['search', 'method'].forEach(function (id) { byId(id).addEventListener('input', filterSoon); });
  ['session', 'direction', 'errors'].forEach(function (id) { byId(id).addEventListener('change', filter); });
  byId('filters').addEventListener('submit', function (event) { event.preventDefault(); filter(); });
  byId('filters').addEventListener('reset', function () { setTimeout(filter, 0); });
  list.addEventListener('scroll', function () { requestAnimationFrame(function () { draw(false); }); });
  new ResizeObserver(function () { draw(true); }).observe(list);
  space.addEventListener('click', function (event) {
    const made = event.target.closest('.row');
    if (made) choose(Number(made.dataset.place), true);
  });
  byId('pair').addEventListener('click', function () { goTo(pairOf(shown[chosen])); });
  byId('copy').addEventListener('click', copy);
  byId('close').addEventListener('click', function () { closeDetails(); list.focus(); });
  byId('theme').addEventListener('click', function () { document.documentElement.classList.toggle('dark', !isDark()); });
  document.addEventListener('keydown', keys);
  filter();
  choose(0, false);
  list.focus();
}());
