import { encodeAbiParameters, toEventSelector } from 'viem/utils'
import { expect, test } from 'vitest'
import { readStageEvent, type StageSetting } from '../../../../src/checks/stages/readStageEvent.ts'
import { problemsOf } from '../../config/loadInMemory.ts'
import { loadGood, smallest } from '../../config/loadInMemory.ts'

const withdrawal = `0x${'ab'.repeat(32)}`
const { config } = loadGood(`${smallest}bridge:
  stages:
    - { stage: proposed, event: "Proposed(bytes32 indexed root, uint256 zoneHeight)", height: zoneHeight, every: 1h }
    - { stage: proven, event: "Proven(bytes32 indexed withdrawal)", names: withdrawal, lasts: 7d }
    - { stage: claimable, lasts: 30d }
`)
const settings: readonly StageSetting[] = config.bridge.stages
const log = { contract: '0xc0', hash: '0x01', height: 7, time: 1_000, place: '0' }

test('a proposal says up to which height of the zone', () => {
  const topics = [toEventSelector('Proposed(bytes32,uint256)'), withdrawal]
  const data = encodeAbiParameters([{ type: 'uint256' }], [500n])
  expect(readStageEvent(settings, { ...log, topics, data }, 2_000)).toEqual({
    contract: '0xc0',
    hash: '0x01',
    place: '0',
    stage: 'proposed',
    height: 7,
    at: 1_000,
    name: '',
    zoneHeight: 500,
  })
})

test('a proof names its withdrawal; a block of the future is of now', () => {
  const topics = [toEventSelector('Proven(bytes32)'), withdrawal]
  expect(readStageEvent(settings, { ...log, time: 9_000, topics, data: '0x' }, 2_000)).toMatchObject({
    stage: 'proven',
    at: 2_000,
    name: withdrawal,
    zoneHeight: null,
  })
})

test('what is no event of a stage, or does not fit its declaration, says nothing', () => {
  const read = (topics: string[], data: string) => readStageEvent(settings, { ...log, topics, data }, 2_000)
  expect(read([toEventSelector('Other(bytes32)'), withdrawal], '0x')).toBeNull()
  expect(read([toEventSelector('Proposed(bytes32,uint256)'), withdrawal], '0x12')).toBeNull()
  const beyond = encodeAbiParameters([{ type: 'uint256' }], [1n << 200n])
  expect(read([toEventSelector('Proposed(bytes32,uint256)'), withdrawal], beyond)).toBeNull()
})

test.each([
  ['{ stage: proven, event: "Proven(bytes32 withdrawal" , names: withdrawal }', 'expected an event'],
  ['{ stage: proven, event: "Proven(bytes32 withdrawal)" }', 'expected either `names` or `height`'],
  [
    '{ stage: proven, event: "Proven(bytes32 withdrawal)", names: hash }',
    'expected a part of the event: withdrawal',
  ],
  ['{ stage: removed, event: "Removed(bytes32 id)", names: id }', 'expected from which height'],
  ['{ stage: paid }', 'expected proposed, challengeable'],
])('the setting %s is refused', (stage, says) => {
  expect(JSON.stringify(problemsOf(`${smallest}bridge: { stages: [ ${stage} ] }\n`))).toContain(says)
})
