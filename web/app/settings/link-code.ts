import { css, html, LitElement, svg } from 'lit';
import { encode } from 'uqr';

/** Modules of white around the code, as ISO/IEC 18004 requires. */
const BORDER = 4;

/** The dark modules of the QR code of a text, as an SVG path with one unit a module, and its size with the border. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { path: path.join(''), size };
}

/** A link as a QR code, for the camera of another device. */
export class LinkCode extends LitElement {
  static override properties = { link: {}, label: {} };
  declare link: string;
  /** The accessible name. */
  declare label: string;

  static override styles = css`
    svg {
      display: block;
      width: min(15rem, 100%);
      margin: 0.5rem 0;
      /* Cameras need dark on light, whatever the theme of the page. */
      background: #fff;
      fill: #000;
    }
  `;

  override render() {
    const { path, size } = qrPath(this.link);
    return html`<svg role="img" aria-label=${this.label} viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
      ${svg`<path d=${path}></path>`}
    </svg>`;
  }
}

customElements.define('tabd-link-code', LinkCode);
