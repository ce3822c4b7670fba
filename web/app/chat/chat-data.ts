/** Work on files, documents and diagrams that is loaded when it is first needed. It has no elements. */
export { drawDiagram } from './diagrams/draw-diagram.ts';
export { readDocument } from './documents/document-files.ts';
export { findSources } from './documents/find-sources.ts';
export {
  chatsToJson,
  exportChat,
  exportChats,
  parseChats,
  type StoredChat,
  settingsSchema,
} from './list/chat-file.ts';
