/** Applies the chosen theme before the page is painted. Without a choice, the system decides. */
try {
  const chosen = localStorage.getItem('mergexo-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // The browser denies storage, so the system decides.
}
