/** Pixels between an element and its tooltip, and between the tooltip and the edge of the window. */
const GAP = 6;

/**
 * Puts a tooltip below its element, or above it where the window ends.
 * @param atRight puts it at the right, so that it hides no button of a column
 */
export function placeTip(tip: HTMLElement, of: DOMRect, atRight: boolean): void {
  const { width, height } = tip.getBoundingClientRect();
  const below = of.bottom + GAP;
  const top = atRight
    ? of.top + (of.height - height) / 2
    : below + height + GAP <= innerHeight
      ? below
      : of.top - height - GAP;
  const left = atRight ? of.right + GAP : of.left + (of.width - width) / 2;
  const within = (value: number, size: number, all: number) =>
    Math.max(GAP, Math.min(value, all - size - GAP));
  tip.style.top = `${within(top, height, innerHeight)}px`;
  tip.style.left = `${within(left, width, innerWidth)}px`;
}
