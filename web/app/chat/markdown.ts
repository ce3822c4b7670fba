import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { strings } from '../strings.ts';

const words = strings.chat.remoteImages;

/** Which images of other sites are loaded: each tells its host who asked, and what its address says. */
export interface ImageRules {
  loads(address: string): boolean;
  /** A person wants to see this one. */
  show(address: string): void;
}

/**
 * Markdown of a model as safe HTML. An image of another site stays out unless `images` lets it in: its address alone could
 * tell its host what was asked. Links open elsewhere; neither they nor images carry a referrer.
 */
export function renderMarkdown(text: string, images: ImageRules): DocumentFragment {
  found = [];
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'source', 'style', 'form', 'input', 'iframe', 'svg'],
    FORBID_ATTR: ['style', 'class', 'id'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const place of fragment.querySelectorAll<HTMLElement>('span[data-image]')) {
    const image = found[Number(place.dataset.image)];
    if (image) place.replaceWith(imageOrPlaceholder(image, images));
  }
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  return fragment;
}

interface FoundImage {
  address: string;
  /** What it shows, in words. */
  text: string;
}

/** The images of the text that is being read, by the number that stands in their places. */
let found: FoundImage[] = [];

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    image: ({ text, href }) => `<span data-image="${found.push({ address: href, text }) - 1}"></span>`,
  },
});

function imageOrPlaceholder({ address, text }: FoundImage, images: ImageRules): HTMLElement {
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(address)) return picture(address, text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // An address of this site could be one that does something when it is asked.
  const canLoad = url?.protocol === 'https:' && url.origin !== location.origin;
  if (canLoad && images.loads(url.href)) return picture(url.href, text);
  const place = element('span', 'picture');
  place.append(element('span', 'soft', text === '' ? words.blocked : words.blockedOf(text)));
  place.append(link(address));
  if (canLoad) {
    const button = element('button', 'plain', words.show);
    button.onclick = (event) => {
      event.preventDefault();
      images.show(url.href);
    };
    place.append(button);
  }
  return place;
}

function picture(address: string, text: string): HTMLElement {
  const image = new Image();
  image.alt = text;
  image.referrerPolicy = 'no-referrer';
  image.loading = 'lazy';
  image.onerror = () => {
    const place = element('span', 'picture');
    place.append(element('span', 'soft', words.failed), link(address));
    image.replaceWith(place);
  };
  image.src = address;
  return image;
}

function link(address: string): HTMLElement {
  const shown = element('a', '', address.length > 200 ? `${address.slice(0, 200)}…` : address);
  if (/^https?:/i.test(address)) shown.href = address;
  return shown;
}

function element<Tag extends 'span' | 'a' | 'button'>(tag: Tag, className: string, text = '') {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}
