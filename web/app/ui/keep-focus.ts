/** Looks for what can be focused, in document order, also inside shadow roots. */
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
  const inside = [root.shadowRoot, root].filter((part): part is ShadowRoot | HTMLElement => part !== null);
  for (const part of inside)
    for (const element of descendants(part))
      if (element.matches(FOCUSABLE) && isFocusable(element)) return element;
  return undefined;
}

/** The focused element, then what it lies in, out of all shadow roots. Empty where nothing has the focus. */
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

/** Milliseconds between looks, and how long after a key or a click there are any. */
const CHECK_INTERVAL = 100;
const CHECK_DURATION = 3000;

/**
 * A control often goes away with what it was for: the button that began a download. The focus then goes to the nearest
 * control that is still there, not to the page as a whole, from where a keyboard would have to begin anew. One that is
 * disabled for the time of its work gets it back.
 */
export function keepFocus(last: () => HTMLElement | null | undefined): void {
  let path: HTMLElement[] = [];
  let isWaiting = false;
  let until = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  const look = () => {
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
    // Before anybody acts on it. `focusin` is not enough: a move within one shadow root is not heard outside of it.
    const now = focusedPath();
    const [had] = path;
    // With a click beside everything, which takes the focus away on purpose, there is nothing to keep.
    if (now.length > 0 || !had || isFocusable(had)) path = now;
    isWaiting = false;
    until = performance.now() + CHECK_DURATION;
    timer ??= setInterval(look, CHECK_INTERVAL);
  };
  for (const event of ['keydown', 'click']) addEventListener(event, watch, { capture: true });
}
