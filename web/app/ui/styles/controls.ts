import { buttons } from './buttons.ts';
import { fields } from './fields.ts';
import { page } from './page.ts';

/** The look of text, boxes, buttons and fields in all views. A view adds only its layout and deliberate exceptions. */
export const controls = [page, buttons, fields];
