/** Functions that act as a user with only a keyboard. */
import { expect, type Page } from '@playwright/test';

export interface Focused {
  tag: string;
  /** The element's accessible name, approximately. */
  name: string;
  /** Whether the element, or a parent, has an outline. */
  visible: boolean;
  /** Whether the element is in an open dialog. */
  inDialog: boolean;
}

/** The element with the focus, also inside shadow roots. Null: the page itself. */
export function focused(page: Page): Promise<Focused | null> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (!element || element === document.body || element === document.documentElement) return null;
    const around: Element[] = [];
    for (let at: Element | null = element; at; ) {
      around.push(at);
      const root = at.getRootNode();
      at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
    const { labels } = element as HTMLInputElement;
    const name =
      element.getAttribute('aria-label') ??
      (labels?.[0] ?? element).textContent ??
      element.getAttribute('title');
    return {
      tag: element.localName,
      name: (name ?? '').replace(/\s+/g, ' ').trim(),
      visible: around.slice(0, 3).some((ancestor) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(ancestor);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      }),
      inDialog: around.some((ancestor) => ancestor.matches('dialog[open]')),
    };
  });
}

/** Presses Tab (or Shift+Tab) until the element called `name` has the focus. */
export async function tabTo(page: Page, name: string | RegExp, back = false): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < 90; steps++) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const now = await focused(page);
    passed.push(now ? `${now.tag} ${now.name.slice(0, 40)}` : '(page)');
    if (now && (typeof name === 'string' ? now.name === name : name.test(now.name))) {
      expect(now.visible, `the focus on ${now.name} is visible`).toBe(true);
      return;
    }
  }
  throw new Error(`${name} was not reached; passed: ${passed.join(', ')}`);
}

/** Visits every element that the keyboard reaches from here to the end. Each has a visible focus and a name. */
export async function walk(page: Page): Promise<number> {
  for (let steps = 0; steps < 120; steps++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    // The end of the page: the browser's own controls follow.
    if (!now || (steps > 0 && now.tag === 'a' && now.name.startsWith('Skip'))) return steps;
    expect(now.visible, `the focus on ${now.tag} ${now.name} is visible`).toBe(true);
    expect(now.name, `${now.tag} has a name`).not.toBe('');
  }
  throw new Error('the page has no end');
}
