/** Draws diagrams in a hidden frame. Loaded with the first diagram. */
import { chatPartStrings } from '../../strings/chat-parts.ts';
import type { DiagramRequest, DiagramResult } from './diagram-message.ts';

/** Milliseconds until a frame that does not answer is given up. */
const TIMEOUT = 30_000;

let frame: Promise<HTMLIFrameElement> | undefined;

/** Draws one diagram. Rejects with the library's message. */
export async function drawDiagram(
  request: DiagramRequest,
): Promise<Exclude<DiagramResult, { error: string }>> {
  frame ??= openFrame();
  try {
    const { contentWindow } = await frame;
    const result = await answerOf(contentWindow!, request);
    if ('error' in result) throw new Error(result.error);
    return result;
  } catch (error) {
    closeFrame();
    throw error;
  }
}

function openFrame(): Promise<HTMLIFrameElement> {
  const element = document.createElement('iframe');
  element.className = 'diagrams';
  element.tabIndex = -1;
  element.ariaHidden = 'true';
  // Without a layout the library could not measure texts.
  element.style.cssText = 'position:fixed;left:-200vw;width:1000px;height:800px;border:0;visibility:hidden';
  const opened = new Promise<HTMLIFrameElement>((resolve, reject) => {
    element.onload = () => {
      if (element.contentDocument?.documentElement.dataset.ready === undefined)
        reject(new Error(chatPartStrings.diagrams.notLoaded));
      else resolve(element);
    };
  });
  element.src = new URL('diagram.html', document.baseURI).href;
  document.body.append(element);
  return opened;
}

function closeFrame(): void {
  frame = undefined;
  for (const element of document.querySelectorAll('iframe.diagrams')) element.remove();
}

function answerOf(target: Window, request: DiagramRequest): Promise<DiagramResult> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(chatPartStrings.diagrams.timeout)), TIMEOUT);
    port1.onmessage = ({ data }: MessageEvent<DiagramResult>) => {
      clearTimeout(timer);
      port1.close();
      resolve(data);
    };
    target.postMessage(request, location.origin, [port2]);
  });
}
