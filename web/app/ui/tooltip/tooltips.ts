/**
 * The tooltips of the page. An element with the attribute `data-tip` has its text as tooltip, with the keys of its
 * `aria-keyshortcuts`, when it has some. A tooltip appears a moment after a mouse enters the element, and at once with the
 * keyboard's focus. Escape hides it. Touch has none, so no tooltip may be the only place of a text: its element has the same
 * text as `aria-label` or `aria-description`.
 */
import { keyNames } from './key-names.ts';
import { placeTip } from './place-tip.ts';

/** Milliseconds until a tooltip appears under a mouse. After another one it appears at once. */
const DELAY = 500;
/** Milliseconds in which the mouse may cross the gap between an element and its tooltip. */
const GRACE = 150;

const STYLES = `
  position: fixed; inset: auto; margin: 0; padding: 0.3rem 0.55rem; border: 0; border-radius: 8px;
  max-width: min(20rem, calc(100vw - 1rem)); overflow-wrap: anywhere; white-space: pre-line;
  background: light-dark(#1d1c1a, #ececf0); color: light-dark(#fbfaf8, #16161a);
  font: 0.8125rem/1.4 Inter, system-ui, sans-serif; box-shadow: 0 6px 24px rgb(0 0 0 / 0.2);
`;

/** Starts the tooltips of a page. Returns a function that ends them. */
export function startTooltips(page: Document = document): () => void {
  const tip = page.createElement('div');
  tip.setAttribute('role', 'tooltip');
  tip.popover = 'manual';
  tip.style.cssText = STYLES;
  page.body.append(tip);

  let owner: Element | undefined;
  let next: Element | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const after = (milliseconds: number, run: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
  const hide = () => {
    clearTimeout(timer);
    owner = next = undefined;
    if (tip.matches(':popover-open')) tip.hidePopover();
  };
  const show = (element: Element) => {
    const text = element.getAttribute('data-tip');
    if (!text || !element.isConnected) return hide();
    owner = element;
    next = undefined;
    tip.replaceChildren(text, ...keysOf(element, page));
    // Hiding it first moves it above a dialog that was opened since.
    if (tip.matches(':popover-open')) tip.hidePopover();
    tip.showPopover();
    placeTip(tip, element.getBoundingClientRect(), element.getAttribute('data-tip-side') === 'right');
  };

  /** The place of the mouse. */
  let under: EventTarget | undefined;
  /** The place of the keyboard. */
  let focused: Element | undefined;

  // Moves and keys, because `pointerover` and `focusin` inside the shadow root of a view do not reach the document.
  const onPointerMove = (event: PointerEvent) => {
    const path = event.composedPath();
    if (event.pointerType === 'touch' || path[0] === under) return;
    under = path[0];
    if (path.includes(tip)) return clearTimeout(timer);
    const element = ownerIn(path);
    if (element === undefined) {
      next = undefined;
      if (owner) after(GRACE, hide);
      else clearTimeout(timer);
    } else if (element === owner) clearTimeout(timer);
    else if (element !== next) {
      next = element;
      after(owner ? 0 : DELAY, () => show(element));
    }
  };
  const onKeyup = () => {
    const element = activeElement(page);
    if (element === focused) return;
    focused = element;
    if (!element?.matches(':focus-visible')) return;
    if (element.hasAttribute('data-tip')) show(element);
    else hide();
  };
  const onKeydown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' || key === 'Enter' || key === ' ') hide();
  };

  const listeners = new AbortController();
  const { signal } = listeners;
  page.addEventListener('pointermove', onPointerMove, { signal, passive: true });
  page.addEventListener('pointerdown', hide, { signal, capture: true });
  page.addEventListener('keyup', onKeyup, { signal, capture: true });
  page.addEventListener('keydown', onKeydown, { signal, capture: true });
  const onScroll = () => owner && hide();
  page.addEventListener('scroll', onScroll, { signal, capture: true, passive: true });
  page.documentElement.addEventListener('pointerleave', hide, { signal });
  addEventListener('hashchange', hide, { signal });
  onKeyup();
  return () => {
    listeners.abort();
    hide();
    tip.remove();
  };
}

/** The element with the focus, also inside shadow roots. */
function activeElement(page: Document): Element | undefined {
  let active = page.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active ?? undefined;
}

/** The innermost element with a tooltip among those of an event. */
function ownerIn(path: EventTarget[]): Element | undefined {
  return path.find(
    (target): target is Element => target instanceof Element && target.hasAttribute('data-tip'),
  );
}

function keysOf(element: Element, page: Document): Element[] {
  return keyNames(element.getAttribute('aria-keyshortcuts') ?? '').map((name) => {
    const key = page.createElement('kbd');
    key.style.cssText =
      'margin-left: 0.4rem; padding: 0 0.3rem; border: 1px solid currentColor; border-radius: 5px; font: inherit; font-size: 0.7rem; opacity: 0.8';
    key.textContent = name;
    return key;
  });
}
