/** Of the value in `meta` that says of which version all rows have the form. */
export const formName = 'form'
