import { icons } from './icons.ts';
import type { StatusLook } from './status-look.ts';

/**
 * Shows a state as the icon of the browser tab. Returns a function that shows the usual icon again. The browser draws
 * the icon outside the page, so that it has the colour for light pages in both looks.
 */
export function showTabIcon({ icon, tone }: StatusLook): () => void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (link === null) return () => undefined;
  const usual = link.href;
  const [colour = ''] =
    /#[\da-f]+/i.exec(getComputedStyle(document.documentElement).getPropertyValue(`--${tone}`)) ?? [];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-3 -3 30 30"><rect x="-3" y="-3" width="30" height="30" rx="6" fill="${colour}"/><path d="${icons[icon]}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return () => {
    link.href = usual;
  };
}
