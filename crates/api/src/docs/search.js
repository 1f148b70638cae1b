// The search over the guide and the reference. The index is fetched when the field gets the focus for the first time.
(() => {
  'use strict';
  const RESULTS_MAX = 20;
  const SNIPPET_CHARS = 140;
  // What counts more where the words fit equally well.
  const WEIGHTS = { Guide: 6, Basics: 5, Operation: 5, Object: 4, Field: 3, Problem: 2 };
  const field = document.getElementById('finder');
  const results = document.getElementById('results');
  const status = document.getElementById('status');
  let index;
  let chosen = -1;

  const load = () => {
    index ??= fetch('/docs/search.json')
      .then((answer) => {
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        return answer.json();
      })
      .then(({ entries }) => entries.map((entry) => ({
        ...entry,
        low: { title: plain(entry.title), where: plain(entry.where), text: plain(entry.text) },
      })))
      .catch((error) => {
        index = undefined;
        throw error;
      });
    return index;
  };

  // Field names count as their words: `tracking_number` is found by "tracking number".
  const plain = (text) => text.toLowerCase().replace(/[_.]/g, ' ');
  const startsWord = (text, word) => text.startsWith(word) || text.includes(` ${word}`);

  const score = (entry, words, phrase) => {
    let sum = WEIGHTS[entry.kind] ?? 0;
    for (const word of words) {
      const { title, where, text } = entry.low;
      if (startsWord(title, word)) sum += 12;
      else if (title.includes(word)) sum += 6;
      else if (startsWord(where, word)) sum += 4;
      else if (startsWord(text, word)) sum += 3;
      else if (text.includes(word) || where.includes(word)) sum += 1;
      else return 0;
    }
    if (entry.low.title === phrase) sum += 30;
    else if (entry.low.title.endsWith(phrase)) sum += 14;
    else if (entry.low.title.includes(phrase)) sum += 8;
    else if (words.length > 1 && entry.low.text.includes(phrase)) sum += 6;
    return sum - entry.low.title.length / 40;
  };

  const find = (entries, query) => {
    const phrase = plain(query).trim().replace(/\s+/g, ' ');
    const words = phrase.split(' ').filter(Boolean);
    if (words.length === 0) return [];
    const found = entries.map((entry) => ({ entry, points: score(entry, words, phrase) }));
    return found.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points)
      .map(({ entry }) => ({ entry, words }));
  };

  // Text with the words marked. It is built from text nodes: nothing of the index is read as markup.
  const marked = (element, text, words) => {
    const low = plain(text);
    let place = 0;
    while (place < text.length) {
      const next = words.map((word) => [low.indexOf(word, place), word.length]).filter(([at]) => at >= 0)
        .sort((a, b) => a[0] - b[0])[0];
      if (!next) break;
      element.append(text.slice(place, next[0]));
      const mark = document.createElement('mark');
      mark.textContent = text.slice(next[0], next[0] + next[1]);
      element.append(mark);
      place = next[0] + next[1];
    }
    element.append(text.slice(place));
  };

  const snippet = ({ text, low }, words) => {
    const places = words.map((word) => low.text.indexOf(word)).filter((place) => place >= 0);
    const first = places.length > 0 ? Math.min(...places) : 0;
    const start = first < 60 ? 0 : text.indexOf(' ', first - 50) + 1;
    const end = start + SNIPPET_CHARS;
    return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
  };

  const line = (name, className, text, words) => {
    const element = document.createElement(name);
    element.className = className;
    marked(element, text, words);
    return element;
  };

  const show = (found) => {
    chosen = -1;
    field.removeAttribute('aria-activedescendant');
    results.replaceChildren(...found.slice(0, RESULTS_MAX).map(({ entry, words }, place) => {
      const link = document.createElement('a');
      link.href = entry.to;
      link.id = `result-${place}`;
      link.className = 'result';
      link.tabIndex = -1;
      link.setAttribute('role', 'option');
      const head = document.createElement('span');
      head.className = 'result-head';
      head.append(line('span', 'result-title', entry.title, words), line('span', 'result-kind', entry.kind, []));
      link.append(head, line('span', 'result-where', entry.where, words));
      if (entry.text) link.append(line('span', 'result-text', snippet(entry, words), words));
      return link;
    }));
    const isAsked = field.value.trim() !== '';
    if (isAsked && found.length === 0) {
      const nothing = document.createElement('p');
      nothing.className = 'nothing';
      nothing.textContent = 'Nothing has all of these words. Try fewer, or shorter ones.';
      results.append(nothing);
    }
    results.hidden = !isAsked;
    field.setAttribute('aria-expanded', String(isAsked));
    status.textContent = isAsked ? `${found.length} found.` : '';
  };

  const search = async () => {
    const query = field.value;
    try {
      const entries = await load();
      // The reader may have typed on while the index was loaded.
      if (query === field.value) show(find(entries, query));
    } catch {
      const failed = document.createElement('p');
      failed.className = 'nothing';
      failed.textContent = 'The search could not be loaded. Is the server running?';
      results.replaceChildren(failed);
      results.hidden = field.value.trim() === '';
    }
  };

  const choose = (place) => {
    const links = [...results.querySelectorAll('.result')];
    if (links.length === 0) return;
    chosen = (place + links.length) % links.length;
    links.forEach((link, at) => link.setAttribute('aria-selected', String(at === chosen)));
    links[chosen].scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', links[chosen].id);
  };

  const close = () => {
    field.value = '';
    show([]);
  };

  field.addEventListener('focus', () => { load().catch(() => {}); });
  field.addEventListener('input', search);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : chosen < 0 ? 0 : -1));
    } else if (event.key === 'Enter') {
      const link = results.querySelectorAll('.result')[Math.max(chosen, 0)];
      if (link) link.click();
    } else if (event.key === 'Escape') {
      close();
      field.blur();
    }
  });
  results.addEventListener('click', (event) => { if (event.target.closest('.result')) close(); });
  document.addEventListener('click', (event) => {
    if (!results.hidden && !event.target.closest('#results, .finder')) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== 'radio';
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping;
    const isCommand = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isCommand) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
})();
