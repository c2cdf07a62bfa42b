import pandas as pd
from features import describe, to_images
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

train = pd.read_csv("data/train.csv")
images, digits = to_images(train), train["digit"]
flat = images.reshape(len(images), -1)
trials = [
    ("ridge, pixels", RidgeClassifier(1.0), flat),
    ("ridge, described", RidgeClassifier(1.0), describe(images)),
    ("normal densities, pixels", GaussianNB(var_smoothing=0.05), flat),
    ("neighbours, pixels", KNeighborsClassifier(3), flat),
    ("support vectors, pixels", SVC(C=5, gamma=0.05), flat),
]
for name, model, inputs in trials:
    scores = cross_val_score(model, inputs, digits, cv=3)
    print(f"{name:32} {scores.mean():.4f}  {scores.round(3)}")
