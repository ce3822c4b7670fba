/** All descendants in document order, including those in shadow roots. */
export function* descendants(root: ParentNode): Generator<HTMLElement> {
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    yield element;
    if (element.shadowRoot) yield* descendants(element.shadowRoot);
  }
}

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

const isFocusable = (element: HTMLElement) =>
  element.isConnected &&
  !element.matches(':disabled') &&
  element.checkVisibility({ visibilityProperty: true });

function firstControl(root: HTMLElement): HTMLElement | undefined {
  const roots = [root.shadowRoot, root].filter((part): part is ShadowRoot | HTMLElement => part !== null);
  for (const part of roots)
    for (const element of descendants(part))
      if (element.matches(FOCUSABLE) && isFocusable(element)) return element;
  return undefined;
}

/** The focused element, then its ancestors through all shadow roots. Empty when nothing has the focus. */
function focusedPath(): HTMLElement[] {
  let deepest = document.activeElement;
  while (deepest?.shadowRoot?.activeElement) deepest = deepest.shadowRoot.activeElement;
  if (deepest === document.body) return [];
  const path: HTMLElement[] = [];
  for (
    let node: Node | null = deepest;
    node;
    node = node instanceof ShadowRoot ? node.host : node.parentNode
  ) {
    if (node instanceof HTMLElement) path.push(node);
  }
  return path;
}

/** Milliseconds between checks of the focus, and how long they continue after a key or a click. */
const CHECK_INTERVAL = 100;
const CHECK_DURATION = 3000;

/**
 * Keeps the keyboard focus when the focused control disappears, such as a button that started a download. The nearest
 * remaining control gets the focus; without one, the result of `last`. Otherwise keyboard users would start at the top
 * of the page. A control that is disabled for a while gets the focus back.
 */
export function keepFocus(last: () => HTMLElement | null | undefined): void {
  let path: HTMLElement[] = [];
  let isWaiting = false;
  let until = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  const check = () => {
    const isOver = performance.now() > until;
    if (isOver) {
      clearInterval(timer);
      timer = undefined;
    }
    const now = focusedPath();
    if (now.length > 0) {
      path = now;
      isWaiting = false;
      return;
    }
    const [had, ...around] = path;
    if (!had || !document.hasFocus()) return;
    if (isFocusable(had)) {
      if (isWaiting) had.focus();
    } else if (had.isConnected && had.matches(':disabled') && !isOver) isWaiting = true;
    else (around.filter(isFocusable).map(firstControl).find(Boolean) ?? last())?.focus();
  };
  const watch = () => {
    // In the capture phase, before handlers change the page. `focusin` does not leave a shadow root.
    const now = focusedPath();
    const [had] = path;
    // A click on the background removes the focus on purpose: nothing is restored.
    if (now.length > 0 || !had || isFocusable(had)) path = now;
    isWaiting = false;
    until = performance.now() + CHECK_DURATION;
    timer ??= setInterval(check, CHECK_INTERVAL);
  };
  for (const event of ['keydown', 'click']) addEventListener(event, watch, { capture: true });
}
