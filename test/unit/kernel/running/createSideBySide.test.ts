import { describe, expect, test } from 'vitest'
import { createSideBySide } from '../../../../src/kernel/running/createSideBySide.ts'
import { createSteppedClock } from '../../../support/steppedClock.ts'

interface Work {
  /** How long each asking takes; the last one stands for all that follow. */
  readonly takes: readonly number[]
  readonly fails?: readonly number[]
}

/** When each was asked, by its place, with rests of 1 s; when each run ended, and how; each begins with the end of the one before. */
async function play(works: readonly Work[], runs = 1) {
  const clock = createSteppedClock({ start: 0, isManual: true })
  const asked: number[][] = works.map(() => [])
  const { signal } = new AbortController()
  const work = works.map(({ takes, fails = [] }, place) => async () => {
    const turn = (asked[place] ?? []).push(clock.now()) - 1
    await clock.sleep(takes[turn] ?? takes.at(-1) ?? 0)
    if (fails.includes(turn)) throw new Error('away')
  })
  const askSideBySide = createSideBySide(clock, 1_000)
  const ended: string[] = []
  const running = (async () => {
    for (let run = 0; run < runs; run += 1) {
      const results = await askSideBySide(signal, work)
      ended.push(`${clock.now()}: ${results.map(({ status }) => status).join(', ')}`)
    }
  })()
  await clock.advance(600_000)
  await running
  return { asked, ended }
}

describe('several that are asked side by side', () => {
  test('are asked once, where none takes long', async () => {
    expect(await play([{ takes: [500] }, { takes: [700] }])).toEqual({
      asked: [[0], [0]],
      ended: ['700: fulfilled, fulfilled'],
    })
  })

  test('are asked again while one takes long', async () => {
    const { asked } = await play([{ takes: [100] }, { takes: [3_000] }])
    expect(asked).toEqual([[0, 1_100, 2_200], [0]])
  })

  test('are asked again in the next run while one takes long that was asked again in this one, and that is not asked twice at once', async () => {
    const { asked, ended } = await play([{ takes: [100] }, { takes: [2_000] }, { takes: [500, 9_000] }], 2)
    expect(ended.map((one) => one.split(':')[0])).toEqual(['2000', '10500'])
    expect(asked).toEqual([
      [0, 1_100, 2_000, 3_100, 4_200, 5_300, 6_400, 7_500, 8_600, 9_700],
      [0, 2_000, 5_000, 8_000],
      [0, 1_500],
    ])
  })

  test('are asked again where they failed, and end as they ended last', async () => {
    const { asked, ended } = await play([{ takes: [100], fails: [0] }, { takes: [2_000] }])
    expect([asked[0], ended]).toEqual([[0, 1_100], ['2000: fulfilled, fulfilled']])
    const { ended: badly } = await play([{ takes: [100], fails: [1] }, { takes: [2_000] }])
    expect(badly).toEqual(['2000: rejected, fulfilled'])
  })
})
