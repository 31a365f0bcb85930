import type { Page } from 'playwright-core';
import type { Init } from '../../src/shared/messages';

export const init: Omit<Init, 'type'>;

export function open(options?: { theme?: 'dark' | 'light' | 'contrast'; width?: number; height?: number; state?: Partial<Init> }): Promise<{
  view: Page;
  /** Errors of the page. */
  problems: string[];
  close: () => Promise<void>;
}>;
