"""python -m trag.finetune.training FOLDER"""

from trag.finetune.training.run import main

main()
