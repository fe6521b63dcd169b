import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../test/support/launchBrowser.ts'
import { listPictures, type Picture } from './pictures/listPictures.ts'
import { toPalette } from './pictures/toPalette.ts'
import { storm, tellScene, theft } from './pictures/tellScene.ts'

// Pictures of what people receive: the whole daemon watches a theft and a storm in a sandbox and tells every kind of
// channel; what each service was sent is drawn as the service shows it. docs/channels.md has them.
//
// --out docs/images/messages   where they go
// --only TEXT                  pictures whose name holds it
// --json                       what was sent as well, beside the pictures
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(import.meta.dirname, '../docs/images/messages') },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})

mkdirSync(values.out, { recursive: true })
const browser = await launchBrowser()
for (const [scene, of] of Object.entries({ theft, storm })) {
  const told = await tellScene(of)
  if (values.json) writeFileSync(join(values.out, `${scene}.json`), JSON.stringify(told, null, 2))
  for (const picture of listPictures(scene, told)) {
    if (!picture.name.includes(values.only)) continue
    const png = await shoot(browser, picture)
    writeFileSync(join(values.out, `${picture.name}.png`), png)
    process.stdout.write(`${picture.name}.png ${picture.width} px, ${Math.ceil(png.length / 1_000)} kB\n`)
  }
}
await browser.close()
// Channels' connections may linger.
process.exit(0)

async function shoot(from: Browser, { html, width, scheme, mostHeight }: Picture): Promise<Buffer> {
  const page = await from.newPage({ viewport: { width, height: 400 }, colorScheme: scheme })
  await page.setContent(html)
  await page.evaluate(`for (const frame of document.querySelectorAll('iframe'))
    frame.style.height = frame.contentDocument.documentElement.scrollHeight + 'px'`)
  const height = Math.min(Number(await page.evaluate('document.body.scrollHeight')), mostHeight)
  const png = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width, height } })
  await page.close()
  return toPalette(png)
}
