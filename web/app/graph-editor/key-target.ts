/** Which keys belong to the graph editor: the element that a keyboard event starts at decides. */

const pathOf = (event: Event) => event.composedPath() as Partial<HTMLElement>[];

/** Whether the event's target is a control that uses the keyboard itself. */
export function isTyping(event: Event): boolean {
  const [target] = pathOf(event);
  return target?.matches?.('input:not([type=checkbox]), textarea, select, [contenteditable]') ?? false;
}

/** Whether the event's target is the background of the canvas. */
export function isGround(event: Event): boolean {
  const [target] = pathOf(event);
  return target?.matches?.('.ground') ?? false;
}

/** Whether the event's target is in a dialog. */
export function isInDialog(event: Event): boolean {
  return pathOf(event).some(({ localName }) => localName === 'dialog');
}

/** Whether the event's target is outside `editor` and leaves the keys to it: no text field, no dialog, no menu. */
export function isOutside(event: Event, editor: EventTarget): boolean {
  return !event.composedPath().includes(editor) && !isTyping(event) && !isInDialog(event);
}
