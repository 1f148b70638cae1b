// The theme that the viewer chose. Loaded before the page is drawn, so that a dark page does not begin white.
try {
  const theme = localStorage.getItem("dockside.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page follows the system.
}
