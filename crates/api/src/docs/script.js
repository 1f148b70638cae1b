// Comfort for the documentation: the reader's token in every example, copying, finding, and the place in the contents.
// The pages work without it; what only it can do is hidden until it runs.
(() => {
  'use strict';
  const KEY = 'dockside-token';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);
  const say = (text) => { one('status').textContent = text; };

  document.documentElement.classList.add('js');
  all('.entry, .copy, #menu').forEach((element) => { element.hidden = false; });
  // The browser knows of a proxy that speaks TLS; the server does not.
  all('.base').forEach((element) => { element.textContent = location.origin; });

  // The token, kept in this tab only. It goes into a shell, so nothing but a token's characters may pass.
  const places = all('.token');
  const blank = places.length > 0 ? places[0].textContent : '';
  const field = one('token');
  field.parentElement.hidden = places.length === 0;
  const note = one('token-note');
  const usual = note.textContent;
  const stored = (value) => {
    try {
      if (value === undefined) return sessionStorage.getItem(KEY) || '';
      if (value) sessionStorage.setItem(KEY, value); else sessionStorage.removeItem(KEY);
    } catch { /* A browser that keeps nothing still fills the examples. */ }
    return value || '';
  };
  const fill = () => {
    const token = field.value.trim();
    const fits = /^[0-9A-Za-z_]*$/.test(token);
    places.forEach((place) => {
      place.textContent = fits && token ? token : blank;
      place.classList.toggle('filled', fits && token !== '');
    });
    field.setAttribute('aria-invalid', String(!fits));
    note.textContent = fits ? usual : 'That is not a token: it has letters, digits and _ only.';
    stored(fits ? token : '');
  };
  field.value = stored();
  field.addEventListener('input', fill);
  fill();

  // Copying. Browsers offer the clipboard on secure origins only, and many a server runs on plain HTTP at home.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch { /* The old way may still do. */ }
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'unseen';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) throw new Error('refused');
  };
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('.copy');
    if (!button) return;
    const word = button.firstChild;
    try {
      await copy(button.closest('.panel').querySelector('code').textContent);
      word.textContent = 'Copied';
      say('Copied.');
    } catch {
      word.textContent = 'Not copied';
      say('The browser does not let this page copy.');
    }
    button.focus();
    setTimeout(() => { word.textContent = 'Copy'; say(''); }, 2000);
  });

  // Finding: `/` goes to the field, Enter to the first match, Escape back.
  const filter = one('filter');
  const nav = document.querySelector('nav');
  const entries = all('li', nav);
  const find = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    entries.forEach((entry) => {
      const group = entry.closest('.group').querySelector('.group-title').textContent;
      const text = `${entry.textContent} ${entry.dataset.words} ${group}`.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
    });
    all('.group', nav).forEach((group) => { group.hidden = !group.querySelector('li:not([hidden])'); });
    const found = entries.filter((entry) => !entry.hidden).length;
    one('nothing').hidden = found > 0;
    say(words.length > 0 ? `${found} found.` : '');
  };
  filter.addEventListener('input', find);
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      const first = nav.querySelector('li:not([hidden]) a');
      if (first) first.click();
    } else if (event.key === 'Escape') {
      filter.value = '';
      find();
      filter.blur();
    }
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open(true);
    filter.focus();
    filter.select();
  });

  // The contents fold away on a phone.
  const menu = one('menu');
  const open = (isOpen) => {
    menu.setAttribute('aria-expanded', String(isOpen));
    document.documentElement.classList.toggle('open', isOpen);
  };
  menu.addEventListener('click', () => open(menu.getAttribute('aria-expanded') !== 'true'));
  nav.addEventListener('click', (event) => { if (event.target.closest('a')) open(false); });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && menu.getAttribute('aria-expanded') === 'true') {
      open(false);
      menu.focus();
    }
  });

  // Where the reader is, in the contents.
  const links = new Map(all('a[href^="#"]', nav).map((link) => [link.hash.slice(1), link]));
  const bar = document.querySelector('.bar');
  const mark = (id) => {
    links.forEach((link, key) => {
      if (key === id) link.setAttribute('aria-current', 'location'); else link.removeAttribute('aria-current');
    });
    const link = links.get(id);
    if (!link || bar.contains(document.activeElement)) return;
    const [frame, box] = [bar.getBoundingClientRect(), link.getBoundingClientRect()];
    if (box.top < frame.top + 40 || box.bottom > frame.bottom - 40) {
      bar.scrollTop += box.top - frame.top - frame.height / 2;
    }
  };
  const seen = new Set();
  const targets = [...links.keys()].map(one).filter(Boolean);
  const watch = new IntersectionObserver((changes) => {
    changes.forEach((change) => {
      if (change.isIntersecting) seen.add(change.target); else seen.delete(change.target);
    });
    const current = targets.find((target) => seen.has(target));
    if (current) mark(current.id);
  }, { rootMargin: '-12% 0px -75% 0px' });
  targets.forEach((target) => watch.observe(target));
})();
