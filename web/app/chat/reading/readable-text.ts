/** Blocks after which a reader pauses. */
const BLOCKS = 'p, li, h1, h2, h3, h4, h5, h6, tr, blockquote, dt, dd, br';
/** Parts to look at, not to hear. */
const SILENT = '.code, pre, math, svg, img, button, [aria-hidden]';

/** The words of a formatted answer, one line for each block. Code and drawings are left out. */
export function readableText(answer: Element): string {
  const copy = answer.cloneNode(true) as Element;
  for (const part of copy.querySelectorAll(SILENT)) part.remove();
  for (const block of copy.querySelectorAll(BLOCKS)) block.after('\n');
  return (copy.textContent ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n\n')
    .trim();
}
