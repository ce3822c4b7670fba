import { isModelFileName } from './added-files.ts';

/**
 * Takes files of models that are dropped anywhere on the page, before the views see them. Other files stay with the view
 * below the pointer. Without this, the browser would open the file in place of the page.
 * @returns a function that stops it
 */
export function takeDroppedModels(target: EventTarget, onFiles: (files: File[]) => void): () => void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  // The names are unknown until the drop.
  const onDragOver = (event: Event) => {
    if (hasFiles(event as DragEvent)) event.preventDefault();
  };
  const onDrop = (event: Event) => {
    const files = [...((event as DragEvent).dataTransfer?.files ?? [])];
    if (!files.some(({ name }) => isModelFileName(name))) return;
    event.preventDefault();
    event.stopPropagation();
    // Views that marked the place of the drop take the mark away.
    event.composedPath()[0]?.dispatchEvent(new DragEvent('dragleave', { bubbles: true, composed: true }));
    onFiles(files);
  };
  target.addEventListener('dragover', onDragOver, true);
  target.addEventListener('drop', onDrop, true);
  return () => {
    target.removeEventListener('dragover', onDragOver, true);
    target.removeEventListener('drop', onDrop, true);
  };
}
