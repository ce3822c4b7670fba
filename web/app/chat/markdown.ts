import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { chatStrings } from '../strings/chat.ts';

const strings = chatStrings.remoteImages;

/** Which images of other sites are loaded: each tells its host who asked, and what its address says. */
export interface ImagePolicy {
  isAllowed(address: string): boolean;
  /** A person wants to see this one. */
  allow(address: string): void;
}

/**
 * Markdown of a model as safe HTML. An image of another site stays out unless `images` lets it in: its address alone could
 * tell its host what was asked. Links open elsewhere; neither they nor images carry a referrer.
 */
export function renderMarkdown(text: string, images: ImagePolicy): DocumentFragment {
  foundImages = [];
  const fragment = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    FORBID_TAGS: ['img', 'picture', 'video', 'audio', 'source', 'style', 'form', 'input', 'iframe', 'svg'],
    FORBID_ATTR: ['style', 'class', 'id'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const place of fragment.querySelectorAll<HTMLElement>('span[data-image]')) {
    const image = foundImages[Number(place.dataset.image)];
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
  /** What it shows, in strings. */
  text: string;
}

/** The images of the text that is being read, by the number that stands in their places. */
let foundImages: FoundImage[] = [];

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    image: ({ text, href }) => `<span data-image="${foundImages.push({ address: href, text }) - 1}"></span>`,
  },
});

function imageOrPlaceholder({ address, text }: FoundImage, images: ImagePolicy): HTMLElement {
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(address)) return imageElement(address, text);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // An address of this site could be one that does something when it is asked.
  const canLoad = url?.protocol === 'https:' && url.origin !== location.origin;
  if (canLoad && images.isAllowed(url.href)) return imageElement(url.href, text);
  const place = createElement('span', 'picture');
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
    const place = createElement('span', 'picture');
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
