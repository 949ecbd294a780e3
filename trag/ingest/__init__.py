"""From files to passages: file -> blocks -> sections -> passages, and the question-answer pairs of documents."""
