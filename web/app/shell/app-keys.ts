/** The keys that work in every view. */

export type AppKey = 'palette' | 'shortcuts' | 'new-chat';

const TEXT_FIELD = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

/** The action of a key press. Plain keys are left to text fields and dialogs. Undefined: none. */
export function appKeyOf(event: KeyboardEvent): AppKey | undefined {
  if (event.isComposing || event.altKey) return undefined;
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (isCommand && !event.shiftKey && key === 'k') return 'palette';
  if (isCommand && event.shiftKey && key === 'o') return 'new-chat';
  if (isCommand || key !== '?') return undefined;
  const path = event.composedPath() as Partial<HTMLElement>[];
  const isTaken = path[0]?.matches?.(TEXT_FIELD) || path.some(({ localName }) => localName === 'dialog');
  return isTaken ? undefined : 'shortcuts';
}
