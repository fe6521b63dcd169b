import { expect, test } from 'vitest'
import { findAlert } from '../../../src/alerts/operations.ts'

const store = { findAlertsByPrefix: () => [] }

test.each([
  {
    id: '19',
    says: 'An alert is named by at least four characters of its id, as spanwatch alerts list shows it, got 19; of a case: spanwatch cases show c19.',
  },
  {
    id: 'a1f',
    says: 'An alert is named by at least four characters of its id, as spanwatch alerts list shows it, got a1f.',
  },
  { id: 'a1f0', says: 'There is no alert a1f0: spanwatch alerts list shows their ids.' },
])('of an alert that $id does not name it is said what to do', ({ id, says }) => {
  expect(() => findAlert(store, id)).toThrow(says)
})
