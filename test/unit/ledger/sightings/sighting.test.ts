import { expect, test } from 'vitest'
import type { Observation } from '../../../../src/bridge/observation.ts'
import { toSightings } from '../../../../src/ledger/sightings/toSightings.ts'
import { decodeSighting, encodeSighting } from '../../../../src/ledger/sightings/sightingCells.ts'
import { toRecord } from '../../../support/records.ts'

/** Every field says something else. */
const full: Observation = toRecord({
  id: 'an id',
  zoneEventIndex: '3',
  zoneBlockHash: 'a hash',
  batchDetail: '[]',
  updateTime: 5,
  pushHeight: 6,
  tokenId: '7',
  unsaid: 'tokenName',
  logIndex: '8',
})

test('a sighting holds all of its observation, and comes back from the store as it was', () => {
  const [sighting] = toSightings([full])
  const { requestedAt, ...content } = full
  expect(sighting).toStrictEqual({
    ...content,
    firstAt: requestedAt,
    lastAt: requestedAt,
    twin: false,
    besides: 0,
  })
  expect(toSightings([full]).map(encodeSighting).map(decodeSighting)).toStrictEqual([sighting])
})

test('a sighting is stored in the order of ever', () => {
  const record = toRecord({ mainHash: 'm', zoneHash: 'z', id: 'an id', tokenId: '7', updateTime: 5 })
  expect(JSON.stringify(toSightings([record]).map(encodeSighting))).toMatchInlineSnapshot(
    `"[[5,1000000,1000000,0,0,"E3","an id","ZoneToMain","Withdraw","success","m",500,900000,"z",5000,800000,"0xf0","0xf1","0xaa","0xbb","1.5","1500000","0xcc","ERC20","7","USD Coin"]]"`,
  )
})
