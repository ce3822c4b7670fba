import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { chatStrings } from '../../strings/chat.ts';

const strings = chatStrings.remoteImages;

/** Decides which remote images are loaded. Loading one reveals the reader and the address to its host. */
export interface ImagePolicy {
  isAllowed(address: string): boolean;
  /** The user loads this image. */
  allow(address: string): void;
}

/** Renders code and formulas. Each function returns undefined while its library is still loading. */
export interface Enrichment {
  code(text: string, language: string): Node | undefined;
  formula(text: string, isBlock: boolean): Node | undefined;
}

/**
 * Renders a model's Markdown as sanitized HTML. Remote images need the permission of `images`, because a model could put
 * parts of the chat into their address. Links open in a new tab. Links and images send no referrer.
 */
export function renderMarkdown(text: string, images: ImagePolicy, enrichment?: Enrichment): DocumentFragment {
  foundImages = [];
  foundFormulas = [];
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'source', 'style', 'form', 'input', 'iframe', 'svg'],
    FORBID_ATTR: ['style', 'class', 'id'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const place of fragment.querySelectorAll<HTMLElement>('span[data-image]')) {
    const image = foundImages[Number(place.dataset.image)];
    if (image) place.replaceWith(imageOrPlaceholder(image, images));
  }
  for (const place of fragment.querySelectorAll<HTMLElement>('span[data-task]')) {
    const isDone = place.dataset.task === 'true';
    const box = createElement('span', isDone ? 'task done' : 'task');
    box.role = 'img';
    box.ariaLabel = isDone ? chatStrings.taskDone : chatStrings.taskOpen;
    place.closest('li')?.classList.add('task-item');
    place.replaceWith(box);
  }
  for (const place of fragment.querySelectorAll<HTMLElement>('span[data-formula]')) {
    const formula = foundFormulas[Number(place.dataset.formula)];
    if (!formula) continue;
    const rendered = enrichment?.formula(formula.text, formula.isBlock);
    place.replaceWith(rendered ?? formula.source);
  }
  for (const code of fragment.querySelectorAll<HTMLElement>('pre[data-language] > code')) {
    const highlighted = enrichment?.code(code.textContent ?? '', code.parentElement!.dataset.language!);
    if (highlighted) code.replaceChildren(highlighted);
  }
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return fragment;
}

interface FoundImage {
  address: string;
  /** The alternative text. */
  text: string;
}

/** The images of the text in progress. Placeholders in its HTML hold their indices. */
let foundImages: FoundImage[] = [];

interface FoundFormula {
  text: string;
  /** The text with its marks. */
  source: string;
  isBlock: boolean;
}

/** The formulas of the text in progress. */
let foundFormulas: FoundFormula[] = [];

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark]!);

const marked = new Marked({
  gfm: true,
  breaks: true,
  extensions: [
    {
      name: 'blockFormula',
      level: 'block',
      start: (text) => /(\$\$|\\\[)/.exec(text)?.index,
      tokenizer: (text) =>
        formulaToken('blockFormula', /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])\s*(?:\n|$)/, text),
      renderer: (token) => `<p>${placeholder(token as FormulaToken, true)}</p>`,
    },
    {
      name: 'inlineFormula',
      level: 'inline',
      start: (text) => /\$|\\\(/.exec(text)?.index,
      // A price is no formula: no space inside the marks, and no digit after them.
      tokenizer: (text) =>
        formulaToken(
          'inlineFormula',
          /^(?:\$\$([^$\n]+?)\$\$|\$(?![\s$])([^$\n]*?[^\s$\\])\$(?!\d)|\\\(([\s\S]+?)\\\))/,
          text,
        ),
      renderer: (token) => placeholder(token as FormulaToken, false),
    },
  ],
  renderer: {
    checkbox: ({ checked }) => `<span data-task="${checked}"></span>`,
    code: ({ text, lang = '' }) => {
      const [language = ''] = /^[\w+#.-]+/.exec(lang) ?? [];
      const named = language === '' ? '' : ` data-language="${language.toLowerCase()}"`;
      return `<pre${named}><code>${escaped(text)}\n</code></pre>`;
    },
    image: ({ text, href }) => `<span data-image="${foundImages.push({ address: href, text }) - 1}"></span>`,
  },
});

interface FormulaToken {
  type: string;
  raw: string;
  text: string;
}

function formulaToken(type: string, pattern: RegExp, text: string): FormulaToken | undefined {
  const match = pattern.exec(text);
  const formula = match?.slice(1).find((part) => part !== undefined);
  return match && formula !== undefined ? { type, raw: match[0], text: formula.trim() } : undefined;
}

function placeholder({ raw, text }: FormulaToken, isBlock: boolean): string {
  return `<span data-formula="${foundFormulas.push({ text, source: raw.trim(), isBlock }) - 1}"></span>`;
}

function imageOrPlaceholder({ address, text }: FoundImage, images: ImagePolicy): HTMLElement {
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(address)) return imageElement(address, text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // A request to this site could have side effects.
  const canLoad = url?.protocol === 'https:' && url.origin !== location.origin;
  if (canLoad && images.isAllowed(url.href)) return imageElement(url.href, text);
  const place = createElement('span', 'remote-image');
  place.append(createElement('span', 'soft', text === '' ? strings.notLoaded : strings.notLoadedOf(text)));
  place.append(addressLink(address));
  if (canLoad) {
    const button = createElement('button', 'plain', strings.load);
    button.onclick = (event) => {
      event.preventDefault();
      images.allow(url.href);
    };
    place.append(button);
  }
  return place;
}

function imageElement(address: string, text: string): HTMLElement {
  const image = new Image();
  image.alt = text;
  image.referrerPolicy = 'no-referrer';
  image.loading = 'lazy';
  image.onerror = () => {
    const place = createElement('span', 'remote-image');
    place.append(createElement('span', 'soft', strings.failed), addressLink(address));
    image.replaceWith(place);
  };
  image.src = address;
  return image;
}

function addressLink(address: string): HTMLElement {
  const shown = createElement('a', '', address.length > 200 ? `${address.slice(0, 200)}…` : address);
  if (/^https?:/i.test(address)) shown.href = address;
  return shown;
}

function createElement<Tag extends 'span' | 'a' | 'button'>(tag: Tag, className: string, text = '') {
  const created = document.createElement(tag);
  if (className !== '') created.className = className;
  created.textContent = text;
  return created;
}
