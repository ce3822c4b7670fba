import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { chatStrings } from '../strings/chat.ts';

const strings = chatStrings.remoteImages;

/** Decides which remote images are loaded. Loading one reveals the reader and the address to its host. */
export interface ImagePolicy {
  isAllowed(address: string): boolean;
  /** The user loads this image. */
  allow(address: string): void;
}

/**
 * Renders a model's Markdown as sanitized HTML. Remote images need the permission of `images`, because a model could put
 * parts of the chat into their address. Links open in a new tab. Links and images send no referrer.
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
  /** The alternative text. */
  text: string;
}

/** The images of the text in progress. Placeholders in its HTML hold their indices. */
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
