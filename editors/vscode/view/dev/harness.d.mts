import type { Browser, Page } from 'playwright-core';
import type { Init } from '../../src/shared/messages';

export const init: Omit<Init, 'type'>;

export interface Options {
  theme?: 'dark' | 'light' | 'contrast';
  width?: number;
  height?: number;
  state?: Partial<Init>;
  /** The browser to open the view in, which stays open. Without it the view has one of its own. */
  browser?: Browser;
}

export function open(options?: Options): Promise<{
  view: Page;
  /** Errors of the page. */
  problems: string[];
  close: () => Promise<void>;
}>;
