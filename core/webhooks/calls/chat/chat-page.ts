/** The page of a chat: one document without further files. */
import type { JsonObject } from '#core/workflow-format';
import { escapeHtml } from '../../forms/render/document.ts';
import script from './chat-script.json' with { type: 'json' };

interface ChatPage {
  title: string;
  subtitle: string;
  placeholder: string;
  /** One greeting a line. */
  greetings: string;
  css: string;
  takesFiles: boolean;
  loadsPrevious: boolean;
}

/** The HTML of the page. Its script sends messages to the address that the page was loaded from. */
export function chatPage(page: ChatPage): string {
  const settings: JsonObject = {
    greetings: page.greetings.split('\n').filter((line) => line.trim() !== ''),
    loadsPrevious: page.loadsPrevious,
  };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Chat</title><style>${script.css}${page.css.replaceAll('</', '<\\/')}</style></head>
<body><main><header><h1>${escapeHtml(page.title)}</h1><p>${escapeHtml(page.subtitle)}</p></header>
<div id="log" role="log" aria-live="polite"></div>
<form id="form">${page.takesFiles ? '<input id="files" type="file" multiple aria-label="Files">' : ''}
<textarea id="text" rows="2" required aria-label="Message" placeholder="${escapeHtml(page.placeholder)}"></textarea>
<button>Send</button></form></main>
<script>const settings=${JSON.stringify(settings).replaceAll('<', '\\u003c')};${script.code}</script></body></html>`;
}
