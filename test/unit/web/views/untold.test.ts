import { expect, test } from 'vitest'
import { formatList, formatStory } from '../../../../src/cli/alertTexts.ts'
import { kinds } from '../../../../src/checks/index.ts'
import { renderMeta } from '../../../../src/web/pages/alertList.ts'
import { renderAlertPage } from '../../../../src/web/pages/alertPage.ts'
import { toAlertStory } from '../../../../src/web/views/toAlertStory.ts'
import { createAlertViews } from '../../../../src/web/views/toAlertView.ts'
import {
  createBench,
  createCondition,
  createRoute,
  createRule,
  createTransfer,
} from '../../alerts/harness.ts'

const stalled = createRule({ name: 'deposit-stalled', kind: 'transfer.stalled', severity: 'critical' })
const slow = createRule({ name: 'slow', kind: 'transfer.stalled', severity: 'warning' })
const form = { by: null, proof: '', role: 'see' } as never

async function run() {
  const bench = createBench({ routes: [createRoute({ groupWaitMs: 0 })], rules: [stalled, slow] })
  const sending = bench.startSending()
  const transfer = createTransfer(1, { state: 'pending', amount: '5' })
  const late = {
    ...createCondition(transfer.key, { kind: 'transfer.stalled', facts: { limitMs: 1 } }),
    transfer,
  }
  return {
    sending,
    judge: async (rule: typeof slow, isLate: boolean, forMs = 1_000) => {
      const judgement = { findings: isLate ? [late] : [], unknown: [] }
      bench.engine.applyCondition(rule, judgement, bench.clock.now())
      for (let ms = 0; ms < forMs; ms += 1_000) {
        bench.engine.flush(bench.clock.now())
        sending.wake()
        await bench.clock.advance(1_000)
      }
    },
    show: async (name: string) => {
      const now = bench.clock.now()
      const row = bench.store.listAlerts({ limit: 10 }).find(({ rule }) => rule === name)
      if (row === undefined) throw new Error(`no alert of ${name}`)
      const story = toAlertStory(createAlertViews(bench.store, [stalled, slow], now), row)
      const page = (await renderAlertPage(story, { now, form })).toString()
      const meta = (await renderMeta(story, now)).toString()
      return { story, list: formatList([story], now), text: formatStory(story, now), page, meta }
    },
  }
}

test('what another rule said already says so wherever it is shown, and not that it is not sent yet', async () => {
  expect(kinds.find('transfer.stalled')?.joins).toMatchObject({ saysAllAtOnce: true })
  const { judge, show, sending } = await run()
  await judge(stalled, true)
  await judge(slow, true, 400_000)
  const { story, list, text, page, meta } = await show('slow')
  const why = 'deposit-stalled said it to ops'
  expect(story).toMatchObject({ toldAt: null, told: [], untold: why })
  expect(list).toContain(', not sent\n')
  expect(list).toContain(`told: nobody: ${why};`)
  expect(text).toContain(`sent       to nobody: ${why}\n`)
  expect(page).toContain(`<span>not sent: ${why}</span>`)
  expect(meta).toContain(`not sent: ${why}`)
  expect((await show('deposit-stalled')).story.untold).toBeNull()
  await sending.stop()
})

test('once it is sent by itself that is what is shown', async () => {
  const { judge, show, sending } = await run()
  await judge(stalled, true)
  await judge(slow, true, 400_000)
  await judge(stalled, false, 400_000)
  const { story, list } = await show('slow')
  expect(story.untold).toBeNull()
  expect(list).toContain('told: ops')
  await sending.stop()
})

test('of what fires anew the reason of before says nothing', async () => {
  const { judge, show, sending } = await run()
  await judge(stalled, true)
  await judge(slow, true, 400_000)
  await judge(slow, false, 400_000)
  expect((await show('slow')).story.untold).toBe('over before it was told')
  await judge(stalled, false, 400_000)
  await judge(slow, true, 0)
  const { story, list } = await show('slow')
  expect(story).toMatchObject({ untold: null, told: [] })
  expect(list).toContain('not sent yet')
  expect(list).toContain('told: nobody yet')
  await sending.stop()
})
