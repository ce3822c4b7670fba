/** The elements that appear above the views. They are loaded together when the first of them is needed. */
import './palette.ts';
import './shortcuts-dialog.ts';
import './toast-list.ts';
import { startTooltips } from '../ui/tooltip/tooltips.ts';

startTooltips();
