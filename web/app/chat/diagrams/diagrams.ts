import { errorMessage } from '#core/base';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { isDark } from '../../ui/color-scheme.ts';

const strings = chatPartStrings.diagrams;

interface Diagram {
  /** A box with the image. Undefined while it is drawn, and after a failure. */
  drawing?: HTMLElement;
  error?: string;
  isShown: boolean;
}

/** The diagrams of a message by their texts. Each is drawn when the user asks for it. */
export class Diagrams {
  readonly #diagrams = new Map<string, Diagram>();

  /** @param changed called when a diagram is to be shown in another way */
  constructor(private readonly changed: () => void) {}

  /** A button that draws the diagram, or shows its code again. */
  button(text: string): HTMLButtonElement {
    const diagram = this.#diagrams.get(text);
    const isDrawing = diagram?.isShown && !diagram.drawing && diagram.error === undefined;
    const button = document.createElement('button');
    button.className = 'plain';
    button.textContent = isDrawing
      ? strings.drawing
      : diagram?.drawing && diagram.isShown
        ? strings.showCode
        : strings.show;
    button.dataset.diagram = text;
    button.onclick = () => this.#toggle(text);
    return button;
  }

  /** The image or the error message, to show with or in place of the code. Undefined: only the code is shown. */
  view(text: string): { element: HTMLElement; replacesCode: boolean } | undefined {
    const diagram = this.#diagrams.get(text);
    if (!diagram?.isShown) return undefined;
    if (diagram.drawing) return { element: diagram.drawing, replacesCode: true };
    if (diagram.error === undefined) return undefined;
    const element = document.createElement('p');
    element.className = 'diagram-error';
    element.role = 'alert';
    element.textContent = `${strings.failed} ${diagram.error}`;
    return { element, replacesCode: false };
  }

  #toggle(text: string): void {
    const diagram = this.#diagrams.get(text);
    if (diagram?.drawing) diagram.isShown = !diagram.isShown;
    else if (!diagram?.isShown || diagram.error !== undefined) void this.#draw(text);
    this.changed();
  }

  async #draw(text: string): Promise<void> {
    const diagram: Diagram = { isShown: true };
    this.#diagrams.set(text, diagram);
    try {
      const { drawDiagram } = await import('../chat-data.ts');
      const { svg, width, height, title, background } = await drawDiagram({ text, dark: isDark() });
      // An image can load nothing and run nothing.
      const image = new Image(Math.ceil(width), Math.ceil(height));
      image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      image.alt = title || strings.label;
      await image.decode();
      const drawing = document.createElement('div');
      drawing.className = 'drawing';
      drawing.style.background = background;
      drawing.append(image);
      diagram.drawing = drawing;
    } catch (error) {
      diagram.error = errorMessage(error);
    }
    this.changed();
  }
}
