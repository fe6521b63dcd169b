import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { parseDuration } from '../src/lib/duration.ts'
import { launchBrowser } from '../test/support/launchBrowser.ts'

// What the pages measure in a browser while the demo runs: height in screens, weight, first paint, console errors,
// sideways scrolling, and what axe finds against WCAG 2.2 AA. Ends with 1 where one of them is not as it should be.
//
// [scenario …]       default, outage, storm, nomad-2022
// --after 85s        how long the demo runs before the pages are looked at
// --width 360,1280   in px; each in light and dark
// --only /           paths that begin so; a case, an alert and a transfer are found by themselves
// --out FOLDER       pictures go there
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    after: { type: 'string', default: '85s' },
    width: { type: 'string', default: '360,768,1280' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
})

const mostBytes = 150_000
const mostPaintMs = 300
const screens: Readonly<Record<number, number>> = { 360: 740, 768: 1_024, 1_280: 800 }
const paths = [
  '/',
  '/cases',
  '/transfers',
  '/alerts?show=events',
  '/breaks',
  '/silences',
  '/rules',
  '/reports',
]
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

if (values.out !== undefined) mkdirSync(values.out, { recursive: true })
const scenarios = positionals.length > 0 ? positionals : ['default', 'outage', 'storm', 'nomad-2022']
const browser = await launchBrowser()
console.log('| scenario | page | width | height, px | screens | kB | first paint, ms | faults |')
console.log('|---|---|---|---|---|---|---|---|')
let faulty = 0
for (const scenario of scenarios) await lookAt(scenario)
await browser.close()
process.exit(faulty > 0 ? 1 : 0)

async function lookAt(scenario: string): Promise<void> {
  const demo = spawn(process.execPath, ['bin/spanwatch.js', 'demo', '--scenario', scenario], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await readUrl(demo.stdout)
    await sleep(parseDuration(values.after) ?? 0)
    const found = [...paths, ...(await findPaths(url))]
    // The status first: it is the page that changes.
    for (const path of found.filter((one) => values.only === undefined || isOf(one, values.only)))
      for (const width of values.width.split(',').map(Number))
        for (const scheme of ['light', 'dark'] as const) await measure({ url, path, width, scheme }, scenario)
  } finally {
    demo.kill('SIGTERM')
  }
}

function isOf(path: string, only: string): boolean {
  return only === '/' ? path === '/' : path.startsWith(only)
}

async function readUrl(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const [, url] = /page[^\n]*?(http:\/\/127\.0\.0\.1:\d+)/i.exec(text) ?? []
    if (url === undefined) continue
    output.resume()
    return url
  }
  throw new Error(`the demo named no page: ${text}`)
}

/** One page of each kind that has one a subject. */
async function findPaths(url: string): Promise<string[]> {
  const read = async (path: string, pattern: RegExp) => {
    const [, name] = pattern.exec(await (await fetch(url + path)).text()) ?? []
    return name === undefined ? [] : [name]
  }
  return [
    ...(await read('/cases', /href="(\/cases\/c\d+)"/)),
    ...(await read('/alerts?show=all', /href="(\/alerts\/[0-9a-f]+)"/)),
    ...(await read('/transfers', /href="(\/transfers\/[^"?]+)"/)),
  ]
}

interface View {
  readonly url: string
  readonly path: string
  readonly width: number
  readonly scheme: 'light' | 'dark'
}

async function measure({ url, path, width, scheme }: View, scenario: string): Promise<void> {
  const screen = screens[width] ?? 800
  const page = await openPage(browser, { width, height: screen, scheme })
  const faults: string[] = []
  let bytes = 0
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('response', async (response) => {
    if (new URL(response.url()).pathname !== '/events')
      bytes += (await response.body().catch(() => '')).length
  })
  await page.goto(url + path)
  await page.waitForLoadState('load')
  await sleep(300)
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const paint = Number(
    await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`),
  )
  if (Number(await page.evaluate('document.documentElement.scrollWidth')) > width)
    faults.push('scrolls sideways')
  if (bytes > mostBytes) faults.push('too heavy')
  if (paint > mostPaintMs) faults.push('slow first paint')
  if (values.out !== undefined) {
    const name = `${scenario}${path === '/' ? '-status' : path.replace(/\W+/g, '-').slice(0, 24)}-${width}-${scheme}.png`
    await page.screenshot({ path: join(values.out, name), fullPage: height < 12_000 })
  }
  faults.push(...(await findViolations(page)))
  faulty += faults.length
  console.log(
    `| ${scenario} | ${path.slice(0, 24)} | ${width} ${scheme} | ${height} | ${(height / screen).toFixed(1)} | ${Math.ceil(bytes / 1_000)} | ${Math.round(paint)} | ${faults.join('; ').slice(0, 300)} |`,
  )
  await page.context().close()
}

async function openPage(
  from: Browser,
  {
    width,
    height,
    scheme,
  }: { readonly width: number; readonly height: number; readonly scheme: 'light' | 'dark' },
): Promise<Page> {
  const context = await from.newContext({ viewport: { width, height }, colorScheme: scheme })
  return context.newPage()
}

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  )
  return violations.map(({ id, nodes }) => `axe ${id} ${nodes.length}: ${nodes[0]?.html.slice(0, 80)}`)
}
