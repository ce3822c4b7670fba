import { chatStrings } from '../../strings/chat.ts';
import type { Diagrams } from '../diagrams/diagrams.ts';

/**
 * Puts each block of code into a box with its language and a button that copies it.
 * @param diagrams adds a button to the code of diagrams, which draws them
 */
export function withCopyButtons(fragment: DocumentFragment, diagrams?: Diagrams): DocumentFragment {
  for (const block of fragment.querySelectorAll('pre')) {
    const box = document.createElement('div');
    box.className = 'code';
    const head = document.createElement('div');
    head.className = 'head';
    const label = document.createElement('span');
    label.textContent = block.dataset.language ?? '';
    const button = document.createElement('button');
    button.className = 'plain';
    button.textContent = chatStrings.copyCode;
    button.onclick = () => copyCodeOf(button);
    head.append(label, button);
    block.tabIndex = 0;
    block.replaceWith(box);
    box.append(head, block);
    if (diagrams && block.dataset.language === 'mermaid') addDiagram(box, diagrams);
  }
  return fragment;
}

function addDiagram(box: HTMLElement, diagrams: Diagrams): void {
  const block = box.querySelector('pre')!;
  const text = block.textContent ?? '';
  box.querySelector('.head button')!.before(diagrams.button(text));
  const view = diagrams.view(text);
  if (!view) return;
  block.hidden = view.replacesCode;
  box.append(view.element);
}

/** Copies the code of the box around the button. */
export async function copyCodeOf(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.closest('.code')?.querySelector('pre')?.textContent ?? '');
  const before = button.textContent;
  button.textContent = chatStrings.copied;
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}
