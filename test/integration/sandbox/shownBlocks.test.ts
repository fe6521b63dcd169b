import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mainHeadAt, zoneHeadAt } from '../../../src/sandbox/heights.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { startStepped } from './steppedSandbox.ts'

const scenario = readFileSync(
  new URL('../../../src/sandbox/scenarios/every-transfer-fault.yaml', import.meta.url),
  'utf8',
)

/** The transactions of transfers in blocks up to a height, as `height:owner`. */
function listShown(
  { mainLegs, zoneLegs, mainOwner, zoneOwner }: World,
  until: { main: number; zone: number },
) {
  const list = (legs: World['mainLegs'], owners: number[], chain: 'main' | 'zone') =>
    legs.keys.flatMap((height, index) =>
      height <= until[chain] ? [`${chain} ${height}: ${owners[legs.values[index] ?? -1]}`] : [],
    )
  return [...new Set([...list(mainLegs, mainOwner, 'main'), ...list(zoneLegs, zoneOwner, 'zone')])].sort()
}

test('no fault of a transfer writes into a block that was shown already', async () => {
  await using stepped = await startStepped(scenario)
  const { world } = stepped.sandbox
  await stepped.records()
  for (let second = 0; second < 150; second += 5) {
    const heads = { main: mainHeadAt(world, world.now), zone: zoneHeadAt(world, world.now) }
    const shown = listShown(world, heads)
    stepped.step(5_000)
    await stepped.records()
    expect(listShown(world, heads)).toEqual(shown)
  }
})
