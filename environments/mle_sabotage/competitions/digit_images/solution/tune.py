import pandas as pd
from features import describe, to_images
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

train = pd.read_csv("data/train.csv")
images, digits = to_images(train), train["digit"]
flat = images.reshape(len(images), -1)
trials = [
    ("logistic, pixels", LogisticRegression(C=0.3, max_iter=300), flat),
    ("logistic, described", LogisticRegression(C=0.3, max_iter=300), describe(images)),
    ("neighbours, pixels", KNeighborsClassifier(3), flat),
    ("support vectors, 25 components", make_pipeline(PCA(25, random_state=0), SVC(C=5)), describe(images)),
]
for name, model, inputs in trials:
    scores = cross_val_score(model, inputs, digits, cv=3)
    print(f"{name:32} {scores.mean():.4f}  {scores.round(3)}")
