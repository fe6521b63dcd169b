import { expect, test } from 'vitest'
import { createRelated } from '../../../src/kernel/commit.ts'
import { hash, toRecord } from '../../support/records.ts'
import { createTestKernel } from '../checks/support.ts'

test('who shares a transaction with one of many is asked of all of them at once, on both chains', () => {
  const kernel = createTestKernel()
  const { commit, ledger, stakes } = kernel
  const records = Array.from({ length: 30 }, (_, index) =>
    toRecord({ id: hash(`i${index}`), zoneHash: hash(`a${index}`), mainHash: hash(`b${index}`) }),
  )
  const twins = [1, 2].map((index) =>
    toRecord({ id: hash(`t${index}`), zoneHash: hash(`e${index}`), mainHash: hash('ff') }),
  )
  commit({ answers: [[...records, ...twins]] })
  const changed = ledger.listTransfers({ limit: 100 })
  const asked: string[] = []
  const counting = {
    ...ledger,
    listSharing: (...[chain, name, limit]: Parameters<typeof ledger.listSharing>) => {
      asked.push(`${chain} ${name}`)
      return ledger.listSharing(chain, name, limit)
    },
  }
  const related = createRelated({ ledger: counting, stakes }, changed)
  for (const { key, main, zone } of changed)
    for (const leg of [main, zone]) {
      const found = related.sharing(leg?.chain ?? 'main', leg?.hash ?? '')
      expect(found.map((one) => one.key)).toContain(key)
      expect(found).toEqual(ledger.listSharing(leg?.chain ?? 'main', leg?.hash ?? '', 200))
    }
  expect(asked).toEqual([])
  expect(related.sharing('main', hash('ff'))).toHaveLength(2)
  // Nobody among them bears it: that is asked, once.
  expect([related.sharing('main', hash('99')), related.sharing('main', hash('99'))]).toEqual([[], []])
  expect(asked).toEqual([`main ${hash('99')}`])
})
