import { expect, test } from 'vitest'
import { readTransferFilter } from '../../../src/web/readTransferFilter.ts'

const read = (query: Record<string, string>) => readTransferFilter((name) => query[name])

test('nothing given is the first fifty of all', () => {
  expect(read({}).filter).toEqual({
    text: null,
    state: null,
    direction: null,
    token: null,
    minAgeMs: null,
    limit: 50,
    cursor: null,
  })
})

test('every filter is read, hashes and addresses in lower case', () => {
  const query = {
    q: ' 0xABCD ',
    state: 'pending',
    direction: 'ZoneToMain',
    token: '0xEF',
    age: '1h30m',
    limit: '500',
    cursor: '1790000000000-500',
  }
  expect(read(query).filter).toEqual({
    text: '0xabcd',
    state: 'pending',
    direction: 'ZoneToMain',
    token: '0xef',
    minAgeMs: 5_400_000,
    limit: 500,
    cursor: '1790000000000-500',
  })
})

test.each([
  [{ state: 'done' }, 'state: expected one of pending, completed, failed, unbacked'],
  [{ direction: 'up' }, 'direction: expected MainToZone or ZoneToMain'],
  [{ age: '30' }, 'age: expected a duration such as 30m or 6h'],
  [{ limit: '0' }, 'limit: expected 1 to 500'],
  [{ limit: '501' }, 'limit: expected 1 to 500'],
  [{ limit: '1.5' }, 'limit: expected 1 to 500'],
  [{ limit: 'x' }, 'limit: expected 1 to 500'],
])('%j is said, not dropped', (query, problem) => {
  expect(read(query)).toMatchObject({ filter: null, problem })
})
