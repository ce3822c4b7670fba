/** Elements of the chat view that are loaded when one of them is first opened. The settings view shows some of them. */
export { askForFolder } from './list/folder-dialog.ts';

import './presets/preset-list.ts';

export type { ChatOptions } from './settings/chat-options.ts';

import './settings/chat-options.ts';
