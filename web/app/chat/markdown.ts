import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/**
 * Markdown of a model as safe HTML. Images stay out: a remote image in an answer would tell its host what was asked.
 * Links open elsewhere and carry no referrer.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'source', 'style', 'form', 'input', 'iframe', 'svg'],
    FORBID_ATTR: ['style', 'class', 'id'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return fragment;
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    image: ({ text, href }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
  },
});

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
