import joblib
import numpy as np
import pandas as pd
from features import describe, shifted, to_images
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC


def enlarged(images, digits):
    """The images and copies of them moved one pixel to the left and to the right."""
    copies = [images, shifted(images, 0, 1), shifted(images, 0, -1)]
    return np.concatenate(copies), np.tile(digits, len(copies))


def fit(images, digits):
    more, labels = enlarged(images, digits)
    return SVC(C=5.0, gamma=0.03, decision_function_shape="ovr").fit(describe(more), labels)


train = pd.read_csv("data/train.csv")
images, digits = to_images(train), train["digit"].to_numpy()

# copies are made inside each fold, so that no copy of a held-out image is trained on
guesses = np.zeros_like(digits)
for number, (inside, outside) in enumerate(
    StratifiedKFold(3, shuffle=True, random_state=5).split(images, digits)
):
    model = fit(images[inside], digits[inside])
    guesses[outside] = model.predict(describe(images[outside]))
    print(f"fold {number}: accuracy {accuracy_score(digits[outside], guesses[outside]):.4f}")
print(f"accuracy {accuracy_score(digits, guesses):.4f}, {np.sum(digits != guesses)} of {len(digits)} misread")
print(pd.DataFrame(confusion_matrix(digits, guesses)).to_string())

model = fit(images, digits)
joblib.dump(model, "digits.joblib", compress=3)
print(f"saved digits.joblib with {model.n_support_.sum()} support vectors")
