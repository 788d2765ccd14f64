import type { Page } from 'playwright-core';

/** More controls than any page of the tests has. A walk that is longer is trapped. */
const MAX_STEPS = 300;

/**
 * Runs before the scripts of the page. Notes the elements that listen to a click, and what the walk visits. In a walk,
 * clicks are counted and have no effect.
 */
export const SWEEP_SCRIPT = `(() => {
  const listening = new WeakSet();
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (/^(click|dblclick|mousedown|mouseup|pointerdown|pointerup)$/.test(type)) listening.add(this);
    return add.call(this, type, ...rest);
  };
  const CONTROL = 'a[href], button, input, select, textarea, summary, [contenteditable="true"]';
  const ROLES = ['button', 'link', 'tab', 'menuitem', 'option', 'checkbox', 'radio', 'switch', 'combobox', 'slider', 'treeitem'];
  // Svelte keeps the handlers of an element in a property, and listens on the document.
  const handles = (element) => listening.has(element) || Object.getOwnPropertySymbols(element).some(
    (symbol) => symbol.description === 'events' && ['click', 'dblclick', 'mousedown', 'pointerdown'].some((type) => type in element[symbol]));
  const pointed = (element) => getComputedStyle(element).cursor === 'pointer' &&
    getComputedStyle(element.parentElement).cursor !== 'pointer';
  const describe = (element) => element.tagName.toLowerCase() + ' ' + (element.getAttribute('aria-label') || element.textContent.trim() || element.className).slice(0, 60);
  /** What shows the focus: the element with what it draws before and after itself, its label, and the frame of the editor. */
  const look = (element) => [element, element.closest('label, .cm-editor')].flatMap((each) => each === null ? [] : [null, '::before', '::after'].map((part) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, content } = getComputedStyle(each, part);
    if (part !== null && content === 'none') return '';
    return (outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor) + boxShadow;
  })).join();
  let visited = [];
  let clicks = 0;
  let wanted = [];
  add.call(window, 'click', (event) => {
    if (!window.keyboardSweep.walking) return;
    clicks++;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  window.keyboardSweep = {
    walking: false,
    start() {
      visited = [];
      // Svelte listens on the root of the application for all its elements.
      // uPlot listens on the frame of every chart, where a click has no effect.
      wanted = [...document.querySelectorAll('body > * *:not(.u-wrap)')].filter((element) =>
        (element.matches(CONTROL) || ROLES.includes(element.role) || element.tabIndex >= 0 || handles(element) || pointed(element)) &&
        element.checkVisibility() && !element.matches(':disabled') && element.closest('[inert], [aria-hidden="true"]') === null);
      // The next Tab begins at the start of the page, wherever the last click was.
      document.body.tabIndex = -1;
      document.body.focus();
      document.body.removeAttribute('tabindex');
      window.keyboardSweep.walking = true;
    },
    /** Returns the kind of the control that has the focus, or undefined at the end of the page. */
    visit() {
      const element = document.activeElement;
      // A date has a tab stop for each of its parts.
      if (element === visited.at(-1)?.element) return 'field';
      if (element === null || element === document.body || visited.some((each) => each.element === element)) return undefined;
      visited.push({ element, focused: look(element) });
      clicks = 0;
      if (element.closest('.cm-editor') !== null) return 'editor';
      if (element.matches('a[href]')) return 'link';
      return element.matches('button, summary, input[type=checkbox]') ? 'button' : 'field';
    },
    lookAgain() {
      visited.at(-1).focused = look(document.activeElement);
    },
    clicked: () => clicks,
    name: () => describe(document.activeElement),
    finish() {
      window.keyboardSweep.walking = false;
      document.activeElement?.blur();
      const problems = visited.flatMap(({ element, focused }) => element.isConnected && look(element) === focused ? ['shows no focus: ' + describe(element)] : []);
      const seen = new Set(visited.map(({ element }) => element));
      for (const element of wanted) {
        let control = element.matches('label') ? element.control : element;
        // Tab reaches the checked one of a group, and arrow keys the others.
        if (control?.matches('input[type=radio]')) control = document.querySelector('input[name="' + control.name + '"]:checked') ?? control;
        // Clicks in the frame of the editor go to its text. The marks that fold have keys.
        const editor = element.closest('.cm-editor');
        if (seen.has(control) || (editor !== null && [...seen].some((each) => editor.contains(each)))) continue;
        problems.push('is not reached by Tab: ' + describe(element));
      }
      for (const element of seen) {
        if (!element.matches(CONTROL) && (handles(element) || ROLES.includes(element.role))) problems.push('is no native control: ' + describe(element));
      }
      return { problems, controls: seen.size };
    },
  };
})()`;

export interface Sweep {
  /** What the keyboard cannot do that the mouse can. */
  readonly problems: readonly string[];
  /** How many controls Tab reaches. */
  readonly controls: number;
}

/**
 * Visits all controls of the page with Tab, and tries Enter and Space on links and buttons. Returns the controls that
 * Tab does not reach, that show no focus or that a key does not activate. Nothing on the page changes.
 */
export async function sweepKeyboard(page: Page): Promise<Sweep> {
  const problems: string[] = [];
  await page.evaluate('keyboardSweep.start()');
  for (let step = 0; ; step++) {
    if (step === MAX_STEPS) {
      problems.push(`the focus is trapped at ${await page.evaluate('keyboardSweep.name()')}`);
      break;
    }
    await page.keyboard.press('Tab');
    const kind = await page.evaluate('keyboardSweep.visit()');
    if (kind === undefined) break;
    if (kind === 'editor') {
      // The editor draws its frame a moment after it has the focus.
      await page.locator('.cm-focused').waitFor();
      await page.evaluate('keyboardSweep.lookAgain()');
      await page.keyboard.press('Escape');
    }
    if (kind !== 'link' && kind !== 'button') continue;
    await page.keyboard.press('Enter');
    if (kind === 'button') await page.keyboard.press('Space');
    const { clicks, name } = (await page.evaluate(
      '({ clicks: keyboardSweep.clicked(), name: keyboardSweep.name() })',
    )) as { clicks: number; name: string };
    if (clicks === 0) problems.push(`does nothing on Enter and Space: ${name}`);
  }
  await page.locator('.cm-focused').waitFor({ state: 'detached' });
  const { problems: others, controls } = (await page.evaluate('keyboardSweep.finish()')) as Sweep;
  return { problems: [...problems, ...others], controls };
}
