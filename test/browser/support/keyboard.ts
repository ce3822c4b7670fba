/** A person with a keyboard and nothing else. */
import { expect, type Page } from '@playwright/test';

export interface Focused {
  tag: string;
  /** What a screen reader calls it, roughly. */
  name: string;
  /** It, or what it lies in, is outlined. */
  visible: boolean;
  /** In an open dialog. */
  inDialog: boolean;
}

/** What has the focus, also inside shadow roots; null: the page as a whole. */
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
      visible: around.slice(0, 3).some((one) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
      }),
      inDialog: around.some((one) => one.matches('dialog[open]')),
    };
  });
}

/** Goes on with Tab (or back) until `wanted` has the focus. */
export async function tabTo(page: Page, wanted: string | RegExp, back = false): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < 90; steps++) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const now = await focused(page);
    passed.push(now ? `${now.tag} ${now.name.slice(0, 40)}` : '(page)');
    if (now && (typeof wanted === 'string' ? now.name === wanted : wanted.test(now.name))) {
      expect(now.visible, `the focus on ${now.name} is to be seen`).toBe(true);
      return;
    }
  }
  throw new Error(`${wanted} was not reached; passed: ${passed.join(', ')}`);
}

/** Goes through everything that can be reached from here to the end: each is seen, and has a name. */
export async function walk(page: Page): Promise<number> {
  for (let steps = 0; steps < 120; steps++) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    // The end of the page: what follows is the browser's.
    if (!now || (steps > 0 && now.tag === 'a' && now.name.startsWith('Skip'))) return steps;
    expect(now.visible, `the focus on ${now.tag} ${now.name} is to be seen`).toBe(true);
    expect(now.name, `${now.tag} has a name`).not.toBe('');
  }
  throw new Error('the page has no end');
}
