/**
 * The script of the frame that draws diagrams. The library adds a diagram to the document to measure it. Images and
 * styles that a model wrote come with it: the policy of this document lets it load none of them.
 */
import mermaid from 'mermaid';
import { diagramColors } from './diagram-colors.ts';
import type { DiagramRequest, DiagramResult } from './diagram-message.ts';

addEventListener('message', (event: MessageEvent<DiagramRequest>) => {
  const [port] = event.ports;
  if (event.source !== parent || event.origin !== location.origin || !port) return;
  void draw(event.data).then((result) => port.postMessage(result));
});
document.documentElement.dataset.ready = '';

async function draw({ text, dark }: DiagramRequest): Promise<DiagramResult> {
  const colors = diagramColors(dark);
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: 'base',
    themeVariables: colors,
  });
  try {
    const { svg } = await mermaid.render('diagram', text);
    return { ...imageOf(svg), background: colors.background };
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    document.body.replaceChildren();
  }
}

/** The drawing as an XML document with a size of its own, so that it can be an image. */
function imageOf(svg: string): { svg: string; width: number; height: number; title: string } {
  const parsed = new DOMParser().parseFromString(svg, 'text/html');
  const drawing = parsed.querySelector('svg')!;
  const [, , width = 0, height = 0] = (drawing.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  drawing.removeAttribute('style');
  drawing.setAttribute('width', String(Math.ceil(width)));
  drawing.setAttribute('height', String(Math.ceil(height)));
  const title = drawing.querySelector(':scope > title')?.textContent ?? '';
  return { svg: new XMLSerializer().serializeToString(drawing), width, height, title };
}
