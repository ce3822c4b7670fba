import type { AppState } from '../app-state.ts';
import { ImageClient } from './image-client.ts';
import { ImageState } from './image-state.ts';

/** The images of the selected server. Its state is made at the first visit of the view and stays for later ones. */
export function imagesOf({ session }: Pick<AppState, 'session'>): ImageState {
  session.images ??= new ImageState(new ImageClient(session.connection), session.pulls, session.changed);
  return session.images;
}
