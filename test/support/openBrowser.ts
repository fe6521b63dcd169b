import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { hasBrowser } from './launchBrowser.ts'

if (!hasBrowser) console.warn('skipped: the pages were not looked at in a browser, Chromium is missing')

export interface Look {
  readonly width?: number
  readonly script?: boolean
  readonly colorScheme?: 'light' | 'dark'
  readonly timezoneId?: string
}

export interface OpenedPage {
  readonly page: Page
  /** What the console and uncaught errors said. */
  readonly complaints: string[]
  /** Hosts that were asked for anything. */
  readonly hosts: Set<string>
}

/** A page in a context of its own, closed when the test ends. */
export async function openPage(browser: Browser, look: Look = {}): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1_280, height: 800 },
    javaScriptEnabled: look.script ?? true,
    colorScheme: look.colorScheme ?? 'light',
    timezoneId: look.timezoneId ?? 'UTC',
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  const hosts = new Set<string>()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push('dialog')
    void dialog.dismiss()
  })
  page.on('request', (request) => hosts.add(new URL(request.url()).host))
  return { page, complaints, hosts }
}

/** The page that is open, seen otherwise. */
export async function lookAs(
  page: Page,
  { width, colorScheme }: Required<Pick<Look, 'width' | 'colorScheme'>>,
) {
  await page.setViewportSize({ width, height: 800 })
  await page.emulateMedia({ colorScheme })
}

/** Waits for the page that this leads to: the browser neither reads nor closes one that is on its way. */
export async function follow(page: Page, act: () => Promise<void>): Promise<void> {
  const shown = page.waitForEvent('load')
  await act()
  await shown
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** What axe-core finds against WCAG 2.2 AA, and whatever it counts as best practice: `rule: element`. */
export async function findViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe.source)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  )
}
