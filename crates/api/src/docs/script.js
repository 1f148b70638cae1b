// Comfort for the documentation: the reader's token and language in every example, copying, and the place in the contents.
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
      const blocks = all('pre', button.closest('.panel'));
      await copy(blocks.find((block) => block.offsetParent !== null).textContent);
      word.textContent = 'Copied';
      say('Copied.');
    } catch {
      word.textContent = 'Not copied';
      say('The browser does not let this page copy.');
    }
    button.focus();
    setTimeout(() => { word.textContent = 'Copy'; say(''); }, 2000);
  });

  // The language of the examples: one choice for the whole page, remembered. Each example works by itself without it.
  const LANGUAGE = 'dockside-language';
  const choices = all('.tabs input[type="radio"]');
  const speak = (language) => {
    choices.forEach((choice) => { if (choice.className === language) choice.checked = true; });
  };
  try {
    speak(localStorage.getItem(LANGUAGE) || 'curl');
  } catch { /* A browser that keeps nothing begins with curl each time. */ }
  document.addEventListener('change', (event) => {
    const choice = event.target.closest('.tabs input[type="radio"]');
    if (!choice) return;
    // The examples above may grow or shrink: the chosen one stays where the reader sees it.
    const before = choice.getBoundingClientRect().top;
    speak(choice.className);
    scrollBy(0, choice.getBoundingClientRect().top - before);
    try { localStorage.setItem(LANGUAGE, choice.className); } catch { /* As above. */ }
  });

  // The contents fold away on a phone.
  const nav = document.querySelector('nav');
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
